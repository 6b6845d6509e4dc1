import { createHmac, createSecretKey, type KeyObject, randomBytes } from "node:crypto";
import { InputError, isRecord } from "#base";
import { ApiError, describeRef, type KubeClient, type KubeObject } from "#kube";
import type { Pair } from "../kinds/index.ts";
import type { ResolvedInputs, ResolvedMap, ResolvedResults } from "../sources/resolved.ts";

/** Detects changes without revealing values: without the key, guesses cannot be tested. */
export class Fingerprint {
  readonly #key: KeyObject;

  constructor(key: Uint8Array) {
    this.#key = createSecretKey(key);
  }

  /** Of everything that a stage depends on. */
  ofInputs({ plug, socket }: Pair, { plugConfig, socketConfig }: ResolvedInputs): string {
    const objects = [plug, socket].map(({ metadata: { uid, generation } }) => [uid, generation]);
    return this.#of([...objects, entriesOf(plugConfig), entriesOf(socketConfig)]);
  }

  /** Of the content of the Secret with the results. */
  ofResults({ socket }: Pair, { plugResult, socketResult }: ResolvedResults): string {
    const provider = [socket.metadata.name, socket.spec.interface?.name];
    return this.#of([provider, entriesOf(plugResult), entriesOf(socketResult)]);
  }

  /** What the status shows instead of a secret. */
  ofValue(value: string): string {
    return `sha256:${this.#of(value).slice(0, 8)}`;
  }

  /** An id that is the same for the same parts, such as that of a stage. */
  ofParts(parts: readonly unknown[]): string {
    return this.#of(parts);
  }

  #of(value: unknown): string {
    return createHmac("sha256", this.#key).update(JSON.stringify(value)).digest("hex").slice(0, 32);
  }
}

/** Without unstable values, which differ each time. */
function entriesOf(map: ResolvedMap): readonly (readonly [string, string])[] {
  return [...map]
    .filter(([, { isUnstable }]) => !isUnstable)
    .map(([key, { value }]) => [key, value] as const)
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
}

export const installationSecretName = "tenon-installation";
const keyName = "fingerprint-key";
const keyBytes = 32;

/**
 * The key of the fingerprints in status: unique to this installation, so that guesses cannot be tested.
 * The first replica creates it; with another key, everything would look changed, and each plug would be updated once.
 */
export async function installationKey(
  client: Pick<KubeClient, "find" | "get" | "create">,
  namespace: string,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const ref = { apiVersion: "v1", kind: "Secret", namespace, name: installationSecretName };
  const found = (await client.find(ref, signal)) ?? (await makeKey(client, ref, signal));
  return readKey(found);
}

/** If two replicas create it at once, one gets a conflict and reads it. */
async function makeKey(
  client: Pick<KubeClient, "get" | "create">,
  ref: Parameters<KubeClient["get"]>[0] & { readonly namespace: string },
  signal: AbortSignal,
): Promise<KubeObject> {
  const { apiVersion, kind, namespace, name } = ref;
  const data = { [keyName]: randomBytes(keyBytes).toString("base64") };
  try {
    return await client.create(
      { apiVersion, kind, metadata: { namespace, name }, type: "Opaque", immutable: true, data },
      { fieldManager: "tenon" },
      signal,
    );
  } catch (error) {
    if (error instanceof ApiError && error.isAlreadyExists) return await client.get(ref, signal);
    throw error;
  }
}

function readKey({ kind, metadata: { namespace, name }, data }: KubeObject): Uint8Array {
  const text = isRecord(data) ? data[keyName] : undefined;
  const key = Buffer.from(typeof text === "string" ? text : "", "base64");
  if (key.length >= keyBytes) return key;
  throw new InputError(`expected ${keyName} of ${keyBytes} bytes`, {
    where: describeRef({ kind, namespace, name }),
    next: "delete it and start Tenon again: it creates a new key, and updates every plug once",
  });
}
