import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

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

/** What something took, in milliseconds: on the clock, and of processors, by this process and by children that have ended. */
export interface Spent {
  readonly wall: number;
  readonly processor: number;
}

export async function spend(task: () => unknown): Promise<Spent> {
  const [begin, before] = [performance.now(), processorTime()];
  await task();
  return { wall: performance.now() - begin, processor: processorTime() - before };
}

export function medianSpent(spent: readonly Spent[]): Spent {
  return {
    wall: median(spent.map(({ wall }) => wall)),
    processor: median(spent.map(({ processor }) => processor)),
  };
}

/** Like `0.93 s wall, 0.81 s CPU`. */
export function describeSpent({ wall, processor }: Spent): string {
  return `${seconds(wall)} wall, ${seconds(processor)} CPU`;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`;
}

/** Milliseconds of this process and of children that have ended, which the kernel counts in hundredths of a second. */
export function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000 + ticksOf("self").ofChildren * 10;
}

/** The same of another process, all of it in hundredths of a second. */
export function processorTimeOf(pid: number): number {
  const { own, ofChildren } = ticksOf(pid);
  return (own + ofChildren) * 10;
}

/** https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html */
function ticksOf(pid: number | "self"): { readonly own: number; readonly ofChildren: number } {
  const text = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [user, system, userOfChildren, systemOfChildren] = fields.slice(11, 15).map(Number);
  return { own: (user ?? 0) + (system ?? 0), ofChildren: (userOfChildren ?? 0) + (systemOfChildren ?? 0) };
}
