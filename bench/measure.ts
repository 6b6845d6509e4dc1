import { spawnSync } from "node:child_process";

/** User and system time of a command and its children, as the kernel counts it for children that have ended. */
export function processorMs(command: readonly string[]): number {
  const script = `
    const { spawnSync } = require("node:child_process");
    const [file, ...args] = ${JSON.stringify(command)};
    spawnSync(file, args, { stdio: "ignore" });
    const text = require("node:fs").readFileSync("/proc/self/stat", "utf8");
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    process.stdout.write(String((Number(fields[13]) + Number(fields[14])) * 10));`;
  const { stdout } = spawnSync(process.execPath, ["--eval", script], { encoding: "utf8" });
  return Number(stdout);
}

/** Where one measurement is coarse, as the kernel's ticks of 10 ms are. */
export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? Number.NaN;
}
