import { type StartedCluster, type StartOptions, type StartProgress, startCluster } from "#cluster";
import { describeProgress } from "./describe-progress.ts";
import type { Shell } from "./shell.ts";
import { showProgress } from "./terminal/progress.ts";

/** Starts an instance and tells on standard error how it is getting on. */
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
      progress.note("The first start builds Kubernetes from source, which takes minutes; later ones take seconds.");
    }
    const { phase, text } = describeProgress(event);
    progress.update(phase, text);
  }
  return await start({ ...options, onProgress }, shell.signal);
}
