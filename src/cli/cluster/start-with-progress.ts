import { type BuildProgress, startCluster, type StartedCluster, type StartOptions, type StartProgress } from "#cluster";
import type { Shell } from "../shell.ts";
import { showProgress } from "../terminal/progress.ts";

/** Starts an instance and shows its progress on standard error. */
export async function startWithProgress(
  options: Omit<StartOptions, "onProgress">,
  shell: Shell,
  start: typeof startCluster = startCluster,
): Promise<StartedCluster> {
  using progress = showProgress(shell.stderr, shell.env);
  let isBuildAnnounced = false;
  function onProgress(event: StartProgress): void {
    if (event.kind === "build" && event.phase !== "waiting" && !isBuildAnnounced) {
      isBuildAnnounced = true;
      progress.note("The first start builds Kubernetes from source, which takes minutes; later starts take seconds.");
    }
    const { phase, text } = describeStartProgress(event);
    progress.update(phase, text);
  }
  return await start({ ...options, onProgress }, shell.signal);
}

/** The phase, how much of it is done, and how long it will take. */
export function describeStartProgress(progress: StartProgress): { readonly phase: string; readonly text: string } {
  if (progress.kind === "start") return { phase: "start", text: `starting Kubernetes: ${progress.message}` };
  return { phase: progress.phase, text: describeBuild[progress.phase](progress) };
}

const describeBuild: Readonly<Record<BuildProgress["phase"], (progress: BuildProgress) => string>> = {
  waiting: () => "waiting for another process that builds it",
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
