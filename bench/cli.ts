import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { mean, processorMs } from "./measure.ts";

const tenon = join(import.meta.dirname, "..", "bin", "tenon");
const runs = 20;

/** The processor time of `tenon --help` beyond that of a Node process that does nothing, which every CLI on Node pays. */
export async function measureCli(): Promise<void> {
  const empty = [process.execPath, "--eval", "0"];
  const help = [tenon, "--help"];
  spawnSync(tenon, ["--help"]); // fills the compile cache
  const times = { empty: [] as number[], help: [] as number[] };
  for (let run = 0; run < runs; run++) {
    times.empty.push(processorMs(empty));
    times.help.push(processorMs(help));
  }
  const base = mean(times.empty);
  const whole = mean(times.help);
  console.log(`tenon --help: ${whole.toFixed(0)} ms of processor time (mean of ${runs})`);
  console.log(`node -e 0:    ${base.toFixed(0)} ms`);
  console.log(`beyond it:    ${(whole - base).toFixed(0)} ms, ratio ${(whole / base).toFixed(2)} (bar: 80 ms)\n`);
}
