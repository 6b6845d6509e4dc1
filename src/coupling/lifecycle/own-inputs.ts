import { describeRef, keyOf, type ObjectRef, type ObjectStore } from "#kube";
import type { FreshStore } from "#runtime";
import { apiVersion, describeObject, type Pair, type Plug } from "../kinds/index.ts";
import { type Claims, entryKey } from "../resources/inventory-entries.ts";
import type { ResolvedMap, SourceRef } from "../sources/resolved.ts";
import type { CouplingAttempt } from "./coupling-attempt.ts";
import { byUid } from "./coupling-deps.ts";
import type { InputWatches } from "./input-watches.ts";
import { promisedPlugOf } from "./promised-secret.ts";

/** An input that changes when the coupling writes. */
export interface OwnInput {
  readonly ref: SourceRef;
  /** Which input it is, and why; for messages. */
  readonly message: string;
}

/** Who writes what, and who reads what. */
export interface WriterDeps {
  readonly claims: Pick<Claims, "holdersOf">;
  readonly cluster: {
    readonly plugs: Pick<FreshStore, "get" | "byIndex">;
    readonly metadataStores: { readonly Secret: Pick<ObjectStore, "get"> };
  };
  readonly inputs: { readonly watches: Pick<InputWatches, "readingsOf"> };
}

/** The inputs that a pairing writes itself, or causes others to write. */
export function findOwnInputs(
  refs: readonly SourceRef[],
  { pair, memory }: Pick<CouplingAttempt, "pair"> & { readonly memory: Pick<CouplingAttempt["memory"], "workloads"> },
  deps: WriterDeps,
): OwnInput[] {
  return refs.flatMap((ref) => {
    const isMounted =
      ref.namespace === pair.plug.metadata.namespace &&
      memory.workloads.some(({ kind, name }) => kind === ref.kind && name === ref.name);
    const writer = isMounted ? byItself : findWriter(ref, pair, deps);
    return writer === undefined ? [] : [{ ref, message: `${nameOf(ref, pair)} reads ${describeRef(ref)}, ${writer}` }];
  });
}

const byItself = "which this coupling writes";

/** The field of an input, and its var. */
function nameOf({ side, field }: SourceRef, pair: Pair): string {
  const [, kind, index] = /^spec\.(vars|resultVars)\[(\d+)\]$/.exec(field) ?? [];
  const { vars, resultVars } = pair[side].spec;
  const found = (kind === "vars" ? vars : resultVars)?.[Number(index)]?.name;
  return `${found === undefined ? field : `var ${found} (${field})`} of ${describeObject(pair[side])}`;
}

/** Couplings that share many objects are not all examined. */
const mostPlugs = 100;

function findWriter(ref: SourceRef, { plug, socket }: Pair, deps: WriterDeps): string | undefined {
  const own = plug.metadata.uid ?? "";
  const first = writersOf(ref, deps);
  const isOwnSocket = isOf("Socket", ref) && keyOf(socket) === `${ref.namespace}/${ref.name}`;
  if (first.includes(own) || isOwnSocket) return byItself;
  const seen = new Set(first);
  for (const uid of seen) {
    if (seen.size > mostPlugs) return undefined;
    for (const found of deps.cluster.plugs.byIndex(byUid, uid)) {
      for (const read of deps.inputs.watches.readingsOf(keyOf(found))) {
        const writers = writersOf(read, deps);
        // What a plug writes itself, it only looks after.
        if (writers.includes(uid)) continue;
        if (writers.includes(own)) return "which another coupling writes that reads what this one writes";
        for (const writer of writers) seen.add(writer);
      }
    }
  }
  return undefined;
}

/** The uids of the plugs whose couplings write an object. */
function writersOf(ref: ObjectRef, { claims, cluster }: WriterDeps): readonly string[] {
  const { kind, namespace = "", name } = ref;
  const key = `${namespace}/${name}`;
  if (isOf("Plug", ref)) return listOf(cluster.plugs.get(key)?.metadata.uid);
  const secret = ref.apiVersion === "v1" && kind === "Secret" ? cluster.metadataStores.Secret.get(key) : undefined;
  return [
    ...claims.holdersOf(entryKey({ group: apiGroupOf(ref), kind, namespace, name })),
    ...listOf(secret && promisedPlugOf(secret)),
  ];
}

export function apiGroupOf({ apiVersion: text }: ObjectRef): string {
  return text.includes("/") ? text.slice(0, text.indexOf("/")) : "";
}

function isOf(kind: (Plug | Pair["socket"])["kind"], ref: ObjectRef): boolean {
  return ref.apiVersion === apiVersion && ref.kind === kind;
}

function listOf(uid: string | undefined): readonly string[] {
  return uid === undefined ? [] : [uid];
}

/** What an input gave. What result vars gave is known only from the results. */
export function valuesOf(
  { ref: { side, field } }: OwnInput,
  maps: Readonly<Record<"plug" | "socket", readonly ResolvedMap[]>>,
): readonly (readonly [key: string, value: string])[] {
  const source = field.startsWith("spec.resultVars") ? "resultTemplate" : `${field.slice("spec.".length)} `;
  return maps[side]
    .flatMap((map) => [...map])
    .filter(([, value]) => value.source.startsWith(source) && !value.isUnstable)
    .map(([key, { value }]) => [key, value] as const);
}
