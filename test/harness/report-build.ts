import type { StartProgress } from "#cluster";

/** The first run on a machine builds programs; this reports progress without printing 3,000 lines. */
export function reportBuild(everyMs: number, title = "the embedded cluster"): (progress: StartProgress) => void {
  let next = 0;
  return (progress) => {
    if (progress.kind !== "build" || Date.now() < next) return;
    next = Date.now() + everyMs;
    const { phase, done, total, remainingMs = 0 } = progress;
    const minutes = (remainingMs / 60_000).toFixed(1);
    process.stderr.write(`building ${title}: ${phase} ${done} of ${total || "?"}, ${minutes} min left\n`);
  };
}
