import { z } from "zod";
import { InputError } from "#base";
import type { ClusterData } from "../data/integration.ts";
import type { TextStore } from "../state/text-store.ts";

/** A namespace that a run has written to, with all that is needed to go there again when the data no longer names it. */
export interface RememberedNamespace {
  readonly cluster: RememberedCluster;
  readonly namespace: string;
  readonly environment: string;
  /** Whose objects are there: the upstream they were stamped with. */
  readonly caller: string;
  /** Everything that was ever made there is of these kinds. */
  readonly kinds: readonly string[];
  /** The integrations that have run there; undefined if not all of them are known. */
  readonly integrations?: readonly string[] | undefined;
}

/** A cluster without what only its own data file can say. References to tokens are not secret. */
export type RememberedCluster = Pick<
  ClusterData,
  "name" | "serverUrl" | "internal" | "insecureSkipTlsVerify" | "automationToken"
>;

/** Where the manager keeps what it must not forget. */
export interface NamespaceMemory {
  read(signal: AbortSignal): Promise<readonly RememberedNamespace[]>;
  /** Several managers may share one memory: `change` gets what is there now, and may be called again. */
  update(
    change: (known: readonly RememberedNamespace[]) => readonly RememberedNamespace[],
    signal: AbortSignal,
  ): Promise<void>;
}

/** The namespaces as a text. */
export function memoryIn(store: TextStore): NamespaceMemory {
  return {
    read: async (signal) => readRemembered(await store.read(signal), store.where),
    update: (change, signal) =>
      store.update((text) => {
        const before = readRemembered(text, store.where);
        const after = writeRemembered(change(before));
        return after === writeRemembered(before) ? undefined : after;
      }, signal),
  };
}

const Reference = z.strictObject({
  path: z.string(),
  field: z.string(),
  version: z.number().optional(),
  format: z.string().optional(),
});
const Remembered = z.object({
  version: z.literal(1),
  namespaces: z.array(
    z.object({
      cluster: z.object({
        name: z.string(),
        serverUrl: z.string(),
        internal: z.boolean().optional(),
        insecureSkipTlsVerify: z.boolean().optional(),
        automationToken: Reference.optional(),
      }),
      namespace: z.string(),
      environment: z.string(),
      caller: z.string(),
      kinds: z.array(z.string()),
      integrations: z.array(z.string()).optional(),
    }),
  ),
});

/** The same text for the same namespaces, in whatever order. */
export function writeRemembered(namespaces: readonly RememberedNamespace[]): string {
  const sorted = namespaces
    .map(({ kinds, integrations, ...rest }) => ({
      ...rest,
      kinds: kinds.toSorted(),
      ...(integrations ? { integrations: integrations.toSorted() } : {}),
    }))
    .toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
  return JSON.stringify({ version: 1, namespaces: sorted });
}

export function readRemembered(text: string | undefined, where: string): readonly RememberedNamespace[] {
  if (text === undefined || text.trim() === "") return [];
  const next = "restore it, or delete it; without it, namespaces that the data no longer names are not cleaned up";
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new InputError("cannot read the list of managed namespaces: not valid JSON", { where, next, cause });
  }
  const read = Remembered.safeParse(value);
  if (read.success) return read.data.namespaces;
  throw new InputError(`cannot read the list of managed namespaces: ${z.prettifyError(read.error)}`, { where, next });
}

/** Adds namespaces, and to those that are known the kinds and integrations. A run that is not whole has seen some integrations only. */
export function rememberNamespaces(
  known: readonly RememberedNamespace[],
  more: readonly RememberedNamespace[],
  isWhole = true,
): readonly RememberedNamespace[] {
  const all = new Map(known.map((entry) => [keyOf(entry), entry]));
  for (const entry of more) {
    const before = all.get(keyOf(entry));
    const kinds = new Set([...(before?.kinds ?? []), ...entry.kinds]);
    all.set(keyOf(entry), { ...entry, kinds: [...kinds], integrations: mergeNames(before, entry, isWhole) });
  }
  return [...all.values()];
}

function mergeNames(
  before: RememberedNamespace | undefined,
  { integrations }: RememberedNamespace,
  isWhole: boolean,
): readonly string[] | undefined {
  if (!integrations || (!isWhole && !before?.integrations)) return undefined;
  return [...new Set([...(before?.integrations ?? []), ...integrations])];
}

export function forgetNamespaces(
  known: readonly RememberedNamespace[],
  gone: readonly RememberedNamespace[],
): readonly RememberedNamespace[] {
  const keys = new Set(gone.map(keyOf));
  return known.filter((entry) => !keys.has(keyOf(entry)));
}

function keyOf({ cluster, namespace, caller }: Omit<RememberedNamespace, "kinds">): string {
  return JSON.stringify([cluster.name, namespace, caller]);
}
