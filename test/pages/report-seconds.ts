/** Prints how long the commands of each page took, and of all pages together. */
export function reportSeconds(seconds: ReadonlyMap<string, number>): void {
  const total = [...seconds.values()].reduce((sum, each) => sum + each, 0);
  const lines = [...seconds, ["all commands", total] as const].map(([what, each]) => `${what}: ${each.toFixed(0)} s\n`);
  process.stdout.write(lines.join(""));
}
