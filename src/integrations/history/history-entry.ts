import { compareText } from "#base";
import { type Action, type ActionKind, type ActionOutcome, isFailure, type OutcomeState } from "#inventory";
import type { ManagedRun } from "../manage/managed-run.ts";

/** Where the desired state of a run came from. */
export interface HistorySource {
  /** As in `--data`. */
  readonly location: string;
  readonly commit?: string | undefined;
  /** The hash of the data's content. */
  readonly bundle: string;
  /** The commits that branches and tags of images meant, by `REPOSITORY REF`. */
  readonly refs?: Readonly<Record<string, string>> | undefined;
}

/** What a run did to one object. */
export interface HistoryObject {
  readonly cluster: string;
  readonly namespace: string;
  readonly kind: string;
  readonly name: string;
  readonly integration?: string | undefined;
  readonly action: ActionKind;
  readonly state: OutcomeState;
  /** The first digits of the hashes of the desired object; never of Secrets. */
  readonly before?: string | undefined;
  readonly after?: string | undefined;
}

/** One run that changed something, or tried to. */
export interface HistoryEntry {
  readonly id: number;
  /** When it ended. */
  readonly at: string;
  /** How often the same was done in a row, and when last; absent if once. */
  readonly times?: number | undefined;
  readonly lastAt?: string | undefined;
  readonly by: string;
  readonly source: HistorySource;
  /** The entry that was rolled back to. */
  readonly rollbackTo?: number | undefined;
  /** The id of the plan. */
  readonly plan: string;
  readonly isSuccess: boolean;
  readonly counts: HistoryCounts;
  /** Those whose objects are concerned, sorted. */
  readonly integrations: readonly string[];
  readonly objects: readonly HistoryObject[];
  /** How many objects are not listed, because the entry would be too large. */
  readonly omitted?: number | undefined;
}

export interface HistoryCounts {
  readonly created: number;
  readonly updated: number;
  readonly adopted: number;
  readonly replaced: number;
  readonly deleted: number;
  readonly failed: number;
  readonly heldBack: number;
}

export interface HistoryContext {
  readonly at: Date;
  /** Who ran it. */
  readonly by: string;
  readonly location: string;
  readonly refs?: ReadonlyMap<string, string> | undefined;
  readonly rollbackTo?: number | undefined;
}

/** Digits of a hash that are kept: enough to tell two objects apart. */
const digits = 16;

/** The entry of a run, without its number; undefined for a run that changed nothing and did not try to. */
export function historyEntry(run: ManagedRun, context: HistoryContext): Omit<HistoryEntry, "id"> | undefined {
  const { plan, inventory, data, outcomes, isDryRun } = run;
  const tried = outcomes.filter(({ state }) => state === "done" || state === "failed" || state === "refused");
  if (!plan || !data || isDryRun || tried.length === 0) return undefined;
  const actions = new Map(plan.actions.map((action) => [keyOf(action), action]));
  const hashes = new Map<string, string>();
  for (const { cluster, namespace, current } of inventory ?? []) {
    for (const object of current.values()) {
      const hash = object.annotation("qontract.sha256sum");
      if (hash !== undefined) hashes.set(keyOf({ cluster, namespace, kind: object.kind, name: object.name }), hash);
    }
  }
  const objects = tried.map((outcome) => describe(outcome, actions.get(keyOf(outcome)), hashes.get(keyOf(outcome))));
  const done = (kind: ActionKind): number =>
    outcomes.filter(({ action, state }) => action === kind && state === "done").length;
  const { refs = new Map(), at, by, location, rollbackTo } = context;
  return {
    at: at.toISOString(),
    by,
    source: {
      location,
      commit: data.commit,
      bundle: data.identity,
      refs:
        refs.size === 0
          ? undefined
          : Object.fromEntries([...refs].toSorted(([one], [other]) => compareText(one, other))),
    },
    rollbackTo,
    plan: plan.id,
    isSuccess: run.isSuccess,
    counts: {
      created: done("create"),
      updated: done("update"),
      adopted: done("adopt"),
      replaced: done("replace"),
      deleted: done("delete"),
      failed: outcomes.filter(isFailure).length,
      heldBack: plan.refusals.length,
    },
    integrations: [...new Set(objects.flatMap(({ integration }) => integration ?? []))].toSorted(compareText),
    objects,
  };
}

function describe(
  { cluster, namespace, kind, name, action, state }: ActionOutcome,
  planned: Action | undefined,
  before: string | undefined,
): HistoryObject {
  // The hash of a short secret can be guessed; who may read the history may not read the Secret.
  const isSecret = kind === "Secret";
  return {
    cluster,
    namespace,
    kind,
    name,
    integration: planned?.attribution,
    action,
    state,
    before: isSecret ? undefined : before?.slice(0, digits),
    after: isSecret ? undefined : planned?.sha256?.slice(0, digits),
  };
}

function keyOf({
  cluster,
  namespace,
  kind,
  name,
}: Pick<HistoryObject, "cluster" | "namespace" | "kind" | "name">): string {
  return JSON.stringify([cluster, namespace, kind, name]);
}
