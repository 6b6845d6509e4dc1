import { InputError } from "#base";
import { ApiError, describeRef, FieldConflictError, type KubeObject, type ObjectRef, refOf } from "#kube";
import { isJsonObject } from "../kinds/json-object.ts";
import { apiVersion, fieldManager, labels, type Side, stateSecretType } from "../kinds/names.ts";
import { namespaceOf, type Pair } from "../kinds/pair.ts";
import type { Plug } from "../kinds/plug.ts";
import type { Socket } from "../kinds/socket.ts";
import { resolved } from "../sources/merge-sources.ts";
import type { ResolvedMap } from "../sources/resolved.ts";
import type { CouplingDeps } from "./coupling-deps.ts";

type SecretDeps = Pick<CouplingDeps, "client" | "signals">;

/** The name of a socket, which may be gone. */
export interface SocketName {
  readonly namespace: string;
  readonly name: string;
}

/** Each config is kept in the namespace of its own side, where its readers may read it anyway. */
function stateRef(plug: Plug, socket: SocketName, side: Side) {
  const { name, uid = "" } = plug.metadata;
  const place =
    side === "plug"
      ? { namespace: namespaceOf(plug), name: `${name}-integration` }
      : { namespace: socket.namespace, name: `${socket.name}-integration-${uid.slice(0, 8)}` };
  return { apiVersion: "v1", kind: "Secret", ...place };
}

/** Keeps what decoupling will need, when the inputs may be gone. */
export async function keepConfig(
  { plug, socket }: Pair,
  side: Side,
  config: ResolvedMap,
  { isKnown }: { readonly isKnown: boolean },
  deps: SecretDeps,
  signal: AbortSignal,
): Promise<void> {
  const owner = side === "plug" ? plug : socket;
  const ref = stateRef(plug, { namespace: namespaceOf(socket), name: socket.metadata.name }, side);
  const kept = { config: [...config].map(([key, { value, isSecret }]) => [key, value, isSecret]) };
  const data = { state: Buffer.from(JSON.stringify(kept)).toString("base64") };
  await write(secret(ref, owner, plug, { type: stateSecretType, data }), isKnown, deps, signal);
}

/** Undefined if none was kept, or somebody has deleted it. */
export async function recallConfig(
  plug: Plug,
  socket: SocketName,
  side: Side,
  { client }: SecretDeps,
  signal: AbortSignal,
): Promise<ResolvedMap | undefined> {
  const found = await client.find(stateRef(plug, socket, side), signal);
  if (!found || !isOf(found, plug)) return undefined;
  const data = found["data"];
  const text = isJsonObject(data) ? data["state"] : undefined;
  return typeof text === "string" ? readConfig(Buffer.from(text, "base64").toString("utf8")) : undefined;
}

export async function dropConfigs(
  plug: Plug,
  socket: SocketName,
  deps: SecretDeps,
  signal: AbortSignal,
): Promise<void> {
  for (const side of ["plug", "socket"] as const) await drop(stateRef(plug, socket, side), plug, deps, signal);
}

/**
 * The results in clear, in the shape that runtimes of https://servicebinding.io read: a key a file. A key that a Secret
 * cannot have is left out.
 */
export async function keepResults(
  { plug, socket }: Pair,
  results: Readonly<Record<string, string>>,
  { isKnown }: { readonly isKnown: boolean },
  deps: SecretDeps,
  signal: AbortSignal,
): Promise<string> {
  const ref = resultRef(plug);
  const type = socket.spec.interface?.name || "integration";
  const entries = Object.entries({ type, provider: socket.metadata.name, ...results });
  const data = Object.fromEntries(
    entries
      .filter(([key]) => /^[-._a-zA-Z0-9]{1,253}$/.test(key))
      .map(([key, value]) => [key, Buffer.from(value).toString("base64")]),
  );
  const wanted = secret(ref, plug, plug, { type: `servicebinding.io/${type}`, data });
  try {
    await write(wanted, isKnown, deps, signal);
  } catch (error) {
    if (!isKnown || !isRefused(error)) throw error;
    // The type of a Secret cannot be changed.
    await drop(ref, plug, deps, signal);
    await write(wanted, isKnown, deps, signal);
  }
  return ref.name;
}

export async function dropResults(plug: Plug, deps: SecretDeps, signal: AbortSignal): Promise<void> {
  await drop(resultRef(plug), plug, deps, signal);
}

function resultRef(plug: Plug) {
  return {
    apiVersion: "v1",
    kind: "Secret",
    namespace: namespaceOf(plug),
    name: `${plug.metadata.name}-integration-result`,
  };
}

/**
 * With our own rights, which reach further than those of the plug's author: a Secret of somebody else that happens to have the
 * name is left alone, because its type is another one. Once it is ours, what others have put into it is overwritten.
 */
async function write(wanted: KubeObject, isKnown: boolean, { client }: SecretDeps, signal: AbortSignal): Promise<void> {
  try {
    await client.apply(wanted, { fieldManager, force: isKnown }, signal);
  } catch (error) {
    if (isKnown || !isRefused(error)) throw error;
    throw new InputError(`${describeRef(refOf(wanted))} is there already and not of this plug, which needs the name`, {
      next: "rename or delete the Secret, or rename the plug",
      cause: error,
    });
  }
}

/** Others manage the fields, or the server does not let them be changed. */
function isRefused(error: unknown): boolean {
  return error instanceof FieldConflictError || (error instanceof ApiError && error.status === 422);
}

/** Only if it is the plug's: its author may have no right to delete Secrets. */
async function drop(
  ref: ObjectRef & { readonly namespace: string },
  plug: Plug,
  { client, signals }: SecretDeps,
  signal: AbortSignal,
): Promise<void> {
  const found = signals.Secret.get(`${ref.namespace}/${ref.name}`) ?? (await client.find(ref, signal));
  if (found && isOf(found, plug)) await client.delete(ref, { uid: found.metadata.uid }, signal);
}

function isOf({ metadata: { labels: found = {} } }: KubeObject, { metadata: { uid } }: Plug): boolean {
  return found[labels.managedBy] === fieldManager && found[labels.plugUid] === uid;
}

function secret(
  { name, namespace }: { readonly name: string; readonly namespace: string },
  owner: Plug | Socket,
  plug: Plug,
  content: { readonly type: string; readonly data: Readonly<Record<string, string>> },
): KubeObject {
  const { kind, metadata } = owner;
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: {
      name,
      namespace,
      labels: { [labels.managedBy]: fieldManager, [labels.plugUid]: plug.metadata.uid ?? "" },
      ownerReferences: [{ apiVersion, kind, name: metadata.name, uid: metadata.uid ?? "" }],
    },
    ...content,
  };
}

function readConfig(text: string): ResolvedMap | undefined {
  const parsed: unknown = JSON.parse(text);
  const entries = isJsonObject(parsed) ? parsed["config"] : undefined;
  if (!Array.isArray(entries)) return undefined;
  return new Map(
    entries.flatMap((entry: unknown) => {
      const [key, value, isSecret]: unknown[] = Array.isArray(entry) ? entry : [];
      if (typeof key !== "string" || typeof value !== "string") return [];
      return [[key, resolved({ value, isSecret: isSecret === true }, "the last integration")] as const];
    }),
  );
}
