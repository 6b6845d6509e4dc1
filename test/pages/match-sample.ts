/** Times, addresses and hashes, which differ from run to run. */
const masks: readonly (readonly [RegExp, string])[] = [
  [/\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z/g, "TIME"],
  [/\b\d+(\.\d+)? ?(ms|s|m|min|h|d)\b/g, "TIME"],
  [/\b(TIME ?)+\b/g, "TIME"],
  [/\b127\.0\.0\.1:\d+\b/g, "ADDRESS"],
  [/\bsha256:[0-9a-f]+(\.\.\.|…)?/g, "sha256:HASH"],
  [/\b[0-9a-f]{7,64}\b/g, "HASH"],
  [/\s+/g, " "],
];

function mask(line: string): string {
  return masks.reduce((text, [pattern, name]) => text.replaceAll(pattern, name), line).trim();
}

/**
 * Whether the output is what the sample shows. A line `...` or `…` in the sample stands for any lines, and one within a line for
 * any text; times, addresses, hashes and the widths of columns do not count.
 */
export function matchesSample(sample: readonly string[], output: string): boolean {
  const wanted = sample.map((line) => line.trimEnd()).filter((line) => line !== "");
  const found = output
    .split("\n")
    .map((line) => mask(line))
    .filter((line) => line !== "");
  const pattern = wanted.map((line) => (isGap(line) ? "(?:.*\n)*?" : `${lineSource(line)}\n`)).join("");
  return new RegExp(`^${pattern}$`).test(found.map((line) => `${line}\n`).join(""));
}

function isGap(line: string): boolean {
  return /^\s*(\.\.\.|…)$/.test(line);
}

function lineSource(line: string): string {
  return line
    .replaceAll(/(?<!sha256:\w*)(\.\.\.|…)/g, "\u0000")
    .split("\u0000")
    .map((part) => mask(part).replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"))
    .join(".*");
}
