import { type HeldSecrets, isRecord, LeastRecentlyUsed, Secret, Semaphore } from "#base";
import type { Identity, KubeClient, KubeObject } from "#kube";
import type { Side } from "../kinds/names.ts";
import { identityOf, namespaceOf, type Pair } from "../kinds/pair.ts";
import type { ResolvedMap, SourceReader } from "../sources/resolved.ts";

/** By the namespace of plugs. */
export type ReadSlots = LeastRecentlyUsed<string, Semaphore>;

interface ReaderDeps {
  readonly client: { impersonate(identity: Identity): Pick<KubeClient, "find"> };
  readonly readSlots: ReadSlots;
}

/** A look may ask for thousands of objects, and all identities share one line to the API server. */
const readsAtOnce = 8;
const keptLines = 1000;

export function createReadSlots(): ReadSlots {
  return new LeastRecentlyUsed(keptLines);
}

/** Reads sources as the service account of their side, a few at once for all plugs of the plug's namespace. */
export function sourceReader(
  pair: Pair,
  side: Side,
  held: HeldSecrets,
  { client, readSlots }: ReaderDeps,
): SourceReader {
  const acting = client.impersonate(identityOf(pair[side]));
  const line = readSlots.get(namespaceOf(pair.plug), () => new Semaphore(readsAtOnce));
  return {
    read: async (ref, signal) => {
      const found = await line.run(() => acting.find(ref, signal), signal);
      if (found?.kind === "Secret") holdSecret(found, held);
      return found;
    },
    hold: (values) => holdValues(values, held),
  };
}

export function holdValues(map: ResolvedMap, held: HeldSecrets): void {
  held.hold([...map.values()].flatMap(({ masked }) => masked ?? []));
}

function holdSecret({ data }: KubeObject, held: HeldSecrets): void {
  if (!isRecord(data)) return;
  const texts = Object.values(data).filter((value) => typeof value === "string");
  held.hold(texts.map((text) => new Secret(Buffer.from(text, "base64").toString("utf8"))));
}
