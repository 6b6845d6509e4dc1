import type { BuildProgress, StartProgress } from "#cluster";

/** What is going on, how much of it is done, and how long it will take. */
export function describeProgress(progress: StartProgress): { readonly phase: string; readonly text: string } {
  if (progress.kind === "start") return { phase: "start", text: `starting Kubernetes: ${progress.message}` };
  return { phase: progress.phase, text: describeBuild[progress.phase](progress) };
}

const describeBuild: Readonly<Record<BuildProgress["phase"], (progress: BuildProgress) => string>> = {
  waiting: () => "waiting for another process that builds the same",
  download: ({ done }) => `downloading the sources of Kubernetes, about a minute: module ${done}`,
  compile({ done, total, remainingMs }) {
    const share = total > 0 ? `, ${Math.floor((done / total) * 100)} % of ${total} packages` : "";
    return `compiling Kubernetes${share}${remainingMs === undefined ? "" : `, ${describeRemaining(remainingMs)}`}`;
  },
  link: () => "linking Kubernetes, less than a minute",
};

function describeRemaining(ms: number): string {
  if (ms >= 90_000) return `about ${Math.round(ms / 60_000)} min left`;
  return `about ${Math.max(10, Math.ceil(ms / 10_000) * 10)} s left`;
}
