import { relative } from "node:path";
import type { AddonStartOptions, startWithAddons } from "#addons";
import { packageFile, systemClock, type Clock } from "#base";
import { type BuildProgress, machineLoad, type StartedCluster, type StartProgress } from "#cluster";
import { callAgain, shellWord } from "../call-again.ts";
import type { Shell } from "../shell.ts";
import { showProgress } from "../terminal/progress.ts";
import { alignPairs } from "../terminal/text-width.ts";

const busyLoad = 1.5;
const tickMs = 1_000;

/** Starts an instance and shows its progress on standard error. */
export async function startWithProgress(
  options: Omit<AddonStartOptions, "onProgress">,
  shell: Shell,
  given?: typeof startWithAddons,
  { clock = systemClock, load = machineLoad }: { readonly clock?: Pick<Clock, "monotonic">; load?: () => number } = {},
): Promise<StartedCluster> {
  // Loaded late: most commands about instances install nothing.
  const start = given ?? (await import("#addons")).startWithAddons;
  using progress = showProgress(shell.stderr, shell.env);
  const begin = clock.monotonic();
  let isBuildAnnounced = false;
  let latest: StartProgress | undefined;
  function show(): void {
    if (!latest) return;
    const { phase, text } = describeStartProgress(latest, clock.monotonic() - begin);
    progress.update(phase, text);
  }
  function onProgress(event: StartProgress): void {
    if (event.kind === "build" && event.phase !== "waiting" && !isBuildAnnounced) {
      isBuildAnnounced = true;
      progress.note(describeFirstBuild(shell.env, load()));
    }
    latest = event;
    show();
  }
  // Go says nothing for minutes while it compiles a large package, and another process that builds says nothing at all.
  const ticking = setInterval(show, tickMs);
  try {
    return await start({ ...options, onProgress }, shell.signal);
  } finally {
    clearInterval(ticking);
  }
}

/** Why a start takes minutes, and what can be read and tried until then. */
function describeFirstBuild(env: Shell["env"], load: number): string {
  const tenon = callAgain(env);
  const [tour, data] = [packageFile("examples", "data", "README.md"), packageFile("examples", "data")].map(nearPath);
  const values = `${tenon} values --data ${data} -n platform-stage`;
  const busy =
    load > busyLoad ? `This machine is busy (its load is ${load.toFixed(1)} per core), so it takes longer.\n` : "";
  return `The first start builds Kubernetes from source, which takes minutes.
Later starts take seconds. ${busy}Until then, in another terminal, without a cluster:
${alignPairs([
  [`less ${tour}`, "a tour of the data files"],
  [`${tenon} data validate ${data}`, "check them"],
])}
  ${values} |
    ${tenon} chart render ${nearPath(packageFile("charts", "integrations"))} -f -`;
}

/** The path as one would type it here. */
function nearPath(path: string): string {
  const near = relative(process.cwd(), path);
  return shellWord(near.startsWith("..") ? path : near);
}

/** The phase, how much of it is done, how long it has taken so far, and how long it will take. */
export function describeStartProgress(
  progress: StartProgress,
  elapsedMs: number,
): { readonly phase: string; readonly text: string } {
  const { kind, project } = progress;
  if (kind === "start") return { phase: `start ${project}`, text: `starting ${project}: ${progress.message}` };
  return {
    phase: `${progress.phase} ${project}`,
    text: describeBuild[progress.phase](progress, `${describeTime(elapsedMs)} so far`),
  };
}

const describeBuild: Readonly<Record<BuildProgress["phase"], (progress: BuildProgress, elapsed: string) => string>> = {
  waiting: ({ project }, elapsed) => `waiting for another process that builds ${project}, ${elapsed}`,
  download: ({ project, done }, elapsed) => `downloading the sources of ${project}: module ${done}, ${elapsed}`,
  compile({ project, done, total, remainingMs }, elapsed) {
    const share = total > 0 ? `: ${Math.floor((done / total) * 100)} % of ${total} packages` : "";
    const left = remainingMs === undefined ? "" : `, about ${describeTime(Math.max(10_000, remainingMs))} left`;
    return `compiling ${project}${share}, ${elapsed}${left}`;
  },
  link: ({ project }, elapsed) => `linking ${project}, ${elapsed}, less than a minute left`,
};

function describeTime(ms: number): string {
  if (ms >= 90_000) return `${Math.round(ms / 60_000)} min`;
  return `${Math.ceil(ms / 10_000) * 10} s`;
}
