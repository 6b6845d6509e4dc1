import { readFileSync } from "node:fs";
import { median } from "./measure.ts";

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

/** The kernel counts that of children in hundredths of a second. */
function processorTime(): number {
  const { user, system } = process.cpuUsage();
  const text = readFileSync("/proc/self/stat", "utf8");
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return (user + system) / 1000 + (Number(fields[13]) + Number(fields[14])) * 10;
}
