import { randomBytes } from "node:crypto";
import { InputError } from "#base";
import { ApiError, describeRef, type KubeClient, type KubeObject } from "#kube";
import { isJsonObject } from "../kinds/json-object.ts";

export const installationSecretName = "tenon-installation";
const keyName = "fingerprint-key";
const keyBytes = 32;

/**
 * The key that fingerprints in status are made with: of this installation and no other, so that nobody can try guesses.
 * It is made once, by whoever comes first; with another one, everything would look changed, and each plug be updated once.
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

/** Of two that make it at once, one is told that it is there. */
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
  const text = isJsonObject(data) ? data[keyName] : undefined;
  const key = Buffer.from(typeof text === "string" ? text : "", "base64");
  if (key.length >= keyBytes) return key;
  throw new InputError(`has no ${keyName} of ${keyBytes} bytes`, {
    where: describeRef({ kind, namespace, name }),
    next: "delete it and start again: a new one is made, and every plug is updated once",
  });
}
