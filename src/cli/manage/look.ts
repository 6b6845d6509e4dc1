import { describeError, nearestName } from "#base";
import type { LoadedData, QueryableSource } from "#bundle";
import { clusterSources, type NamespaceMemory, type Notice, type PlannedRun, planRun } from "#integrations";
import { type Home, openHome } from "../control/home-cluster.ts";
import { readTenonConfig } from "../control/tenon-config.ts";
import type { Shell } from "../shell.ts";
import { limitsOf, memoryOf, reachOf } from "./cluster-settings.ts";
import { openData, rendering, selectionOf } from "./data-settings.ts";
import type { DataChoice, LimitChoice, ReachChoice, RenderingChoice } from "./manage-options.ts";

export interface LookChoice extends DataChoice, RenderingChoice, ReachChoice, LimitChoice {
  readonly config?: string;
  /** Other data: only namespaces that are wanted otherwise than there are looked at. */
  readonly compare?: string;
}

/** One look at data and clusters, as options, environment and `tenon.yaml` say. */
export interface Look extends AsyncDisposable {
  readonly planned: PlannedRun;
  readonly warnings: readonly Notice[];
  readonly memory: NamespaceMemory | undefined;
  /** When the data was committed, where that is known. */
  readonly committedAt: Date | undefined;
}

export async function look(choice: LookChoice, shell: Shell): Promise<Look> {
  const config = await readTenonConfig(choice.config);
  await using opened = new AsyncDisposableStack();
  let home: Promise<Home> | undefined;
  const openOnce = (): Promise<Home> => (home ??= openHome(choice, config, shell).then((each) => opened.use(each)));
  const source = await openData(choice, config, shell);
  const desire = rendering(choice, config, shell);
  const data = await source().load(shell.signal);
  const { base, doubts } = choice.compare === undefined ? noBase : await loadBase(source, choice.compare, shell);
  const clusters = await reachOf(choice, config, shell, openOnce);
  const memory = await memoryOf(choice, config, shell, openOnce);
  const planned = await planRun(
    {
      data,
      base,
      desire: desire(),
      reach: (names) => clusterSources(names, clusters),
      memory,
      ...limitsOf(choice, config),
    },
    shell.signal,
  );
  opened.use(planned);
  const seconds = Number(data.gitCommitTimestamp);
  const kept = opened.move();
  return {
    planned,
    warnings: [
      ...doubts,
      ...planned.warnings,
      ...doubtEnvironment(selectionOf(choice, config, shell).environment, planned),
    ],
    memory,
    committedAt: seconds > 0 ? new Date(seconds * 1000) : undefined,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

interface Base {
  readonly base?: LoadedData;
  readonly doubts: readonly Notice[];
}

const noBase: Base = { doubts: [] };

/** Comparing only saves work: without a base there is more of it, and the same result. */
async function loadBase(
  source: (location: string) => QueryableSource,
  location: string,
  { signal }: Shell,
): Promise<Base> {
  try {
    return { base: await source(location).load(signal), doubts: [] };
  } catch (error) {
    signal.throwIfAborted();
    const what = `cannot compare with ${location}, so everything is looked at: ${describeError(error)}`;
    return { doubts: [{ what, where: "--compare" }] };
  }
}

/** It may have lost its last integration; but it may also be mistyped. */
function doubtEnvironment(name: string | undefined, { desired }: PlannedRun): Notice[] {
  const names = new Set(desired.namespaces.map(({ environment }) => environment.name));
  if (!name || names.has(name)) return [];
  const near = nearestName(name, names);
  return [
    {
      what: `no integration runs in the environment ${name}`,
      next: near === undefined ? `they run in ${[...names].join(", ")}` : `did you mean ${near}?`,
    },
  ];
}
