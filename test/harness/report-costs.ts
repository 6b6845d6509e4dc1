import { readFile } from "node:fs/promises";

export const parts = ["worker", "children", "controlPlane"] as const;

/** Of a test file, in milliseconds of processor time. */
export interface Cost {
  readonly worker: number;
  /** Programs that the file started and waited for. */
  readonly children: number;
  readonly controlPlane: number;
}

/** Prints the sum, and the files that cost most. */
export async function reportCosts(path: string): Promise<void> {
  const text = await readFile(path, "utf8");
  const files: readonly (Cost & { readonly file: string })[] = text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const total = (cost: Cost): number => parts.reduce((sum, part) => sum + cost[part], 0);
  const dearest = files.toSorted((one, other) => total(other) - total(one)).slice(0, 20);
  const sums = parts.map((part) => `${part} ${inSeconds(files.reduce((sum, each) => sum + each[part], 0))}`);
  const lines = [
    `processor time of ${files.length} test files: ${sums.join(", ")}`,
    ...dearest.map((cost) => `${inSeconds(total(cost))} ${cost.file}`),
  ];
  process.stdout.write(`${lines.join("\n")}\n`);
}

function inSeconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
