import { describeError, silentLogger } from "#base";
import type { LoadedData } from "#bundle";
import { fieldLocator } from "../data/field-locator.ts";
import type { Desired } from "../desired/desired.ts";
import type { DesireOptions } from "../desired/desire-options.ts";
import { desireIntegrations } from "../desired/desire-integrations.ts";
import { changedNamespaces, desiredDocument } from "./desired-document.ts";
import { defaultUpstream } from "../parameters/image.ts";
import { lookAtClusters, type PlannedRun } from "./look-at-clusters.ts";
import { type NamespaceMemory, remember, type RememberedNamespace } from "./remembered-namespaces.ts";
import type { LookOptions } from "./run-options.ts";
import { memoryOf } from "./survey-namespaces.ts";

export interface RunOptions extends LookOptions {
  readonly data: LoadedData;
  readonly desire: DesireOptions;
  /** Data to compare with: only namespaces that are wanted otherwise than there are looked at. For dry runs. */
  readonly base?: LoadedData | undefined;
}

/** One look at everything: what is wanted, what is there, and what has to change. Nothing is written. */
export async function planRun(options: RunOptions, signal: AbortSignal): Promise<PlannedRun> {
  const { data, base, memory } = options;
  const desire = await withFormerClusters(withLines(options.desire, data), memory, signal);
  const desired = await desireIntegrations(data, desire, signal);
  const affected = base && (await findAffected(base, desired, options, signal));
  return await lookAtClusters(desired, affected ? { ...options, ...affected } : options, signal);
}

/**
 * What a change of the data affects; undefined if that cannot be told, and then everything is looked at. Lines of files are
 * not asked for: nobody reads the messages of the other bundle.
 */
async function findAffected(
  base: LoadedData,
  desired: Desired,
  options: RunOptions,
  signal: AbortSignal,
): Promise<Pick<LookOptions, "only" | "memory"> | undefined> {
  const { desire, log = silentLogger } = options;
  // What failed has no document: it must not seem to be as it was.
  if (desired.errors.length > 0) return undefined;
  try {
    const before = await desireIntegrations(base, { ...desire, locate: undefined }, signal);
    if (before.errors.length > 0) return undefined;
    const only = changedNamespaces(desiredDocument(before), desiredDocument(desired));
    const caller = desire.upstream || defaultUpstream;
    const former = before.groups.map(({ namespace, kinds }) => memoryOf(namespace, caller, kinds));
    return { only, memory: alsoRemembering(former, options.memory) };
  } catch (error) {
    signal.throwIfAborted();
    log.warn("cannot compare with the base; planning everything", { error: describeError(error) });
    return undefined;
  }
}

/** Where the base has integrations and the data none any more, there is something to clean. For looking only. */
function alsoRemembering(former: readonly RememberedNamespace[], memory: NamespaceMemory | undefined): NamespaceMemory {
  return {
    read: async (signal) => remember((await memory?.read(signal)) ?? [], former),
    update: async () => {},
  };
}

/** Whoever chooses clusters may choose one that has lost its last integration, for what is left there. */
export async function withFormerClusters(
  desire: DesireOptions,
  memory: NamespaceMemory | undefined,
  signal: AbortSignal,
): Promise<DesireOptions> {
  if (!desire.cluster || !memory) return desire;
  const remembered = await memory.read(signal);
  return { ...desire, formerClusters: remembered.map(({ cluster }) => cluster.name) };
}

/** Messages name the line where the files are at hand. */
export function withLines(desire: DesireOptions, { find }: LoadedData): DesireOptions {
  return desire.locate || !find ? desire : { ...desire, locate: fieldLocator(find) };
}
