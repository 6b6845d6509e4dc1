import type { StartProgress } from "#cluster";

/** The first run on a machine builds programs; this reports progress without printing 3,000 lines. */
export function reportBuild(
  everyMs: number,
  title = "the embedded cluster",
  write = (line: string): unknown => process.stderr.write(line),
): (progress: StartProgress) => void {
  let next = 0;
  return (progress) => {
    if (progress.kind !== "build" || Date.now() < next) return;
    next = Date.now() + everyMs;
    const { phase, done, total, remainingMs } = progress;
    const amount = total === 0 ? `${done || ""}` : `${done} of ${total}`;
    const left = remainingMs === undefined ? "" : `, ${(remainingMs / 60_000).toFixed(1)} min left`;
    write(`building ${title}: ${`${phase} ${amount}`.trim()}${left}\n`);
  };
}
