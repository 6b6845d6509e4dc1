import { isRecord } from "#base";
import { namespaceOf, type Pair, type Plug } from "../kinds/index.ts";
import {
  deletePromised,
  encodeSecretText,
  isPromisedTo,
  isWriteRefused,
  isPromiseUntouched,
  type PromiseDeps,
  promisedSecret,
  type SessionOfPair,
  writePromised,
} from "./promised-secret.ts";

/**
 * Stores the results in clear, in the format of https://servicebinding.io: one key per file. A key that is not valid in a Secret
 * is left out.
 */
export async function saveResults(
  { pair, session }: SessionOfPair,
  results: Readonly<Record<string, string>>,
  { isKnown }: { readonly isKnown: boolean },
  deps: PromiseDeps,
  signal: AbortSignal,
): Promise<string> {
  const { plug } = pair;
  const ref = resultRef(plug);
  const wanted = promisedSecret(ref, plug, plug, resultContent(pair, results));
  try {
    session.notePromised(await writePromised(wanted, isKnown, deps, signal));
  } catch (error) {
    if (!isKnown || !isWriteRefused(error)) throw error;
    // The type of a Secret cannot be changed.
    await deletePromised(ref, plug, deps, signal);
    session.notePromised(await writePromised(wanted, isKnown, deps, signal));
  }
  return ref.name;
}

/** Whether the Secret with the results exists and holds them; the values of unstable keys may be any. */
export async function areResultsKept(
  { pair, session }: SessionOfPair,
  results: Readonly<Record<string, string>>,
  unstableKeys: ReadonlySet<string>,
  deps: PromiseDeps,
  signal: AbortSignal,
): Promise<boolean> {
  const ref = resultRef(pair.plug);
  if (isPromiseUntouched(ref, session, deps)) return true;
  const found = await deps.client.find(ref, signal);
  if (!found || !isPromisedTo(found, pair.plug)) return false;
  const { type, data } = resultContent(pair, results);
  const live = isRecord(found["data"]) ? found["data"] : {};
  const isSame = ([key, value]: [string, string]): boolean =>
    unstableKeys.has(key) ? live[key] !== undefined : live[key] === value;
  const entries = Object.entries(data);
  const isRight = found["type"] === type && Object.keys(live).length === entries.length && entries.every(isSame);
  if (isRight) session.notePromised(found);
  return isRight;
}

function resultContent({ socket }: Pair, results: Readonly<Record<string, string>>) {
  const type = socket.spec.interface?.name || "integration";
  const entries = Object.entries({ type, provider: socket.metadata.name, ...results });
  const data = Object.fromEntries(
    entries
      .filter(([key]) => /^[-._a-zA-Z0-9]{1,253}$/.test(key))
      .map(([key, value]) => [key, encodeSecretText(value)]),
  );
  return { type: `servicebinding.io/${type}`, data };
}

/** The keys of the Secret with the results. */
export function bindingKeys(pair: Pair, results: Readonly<Record<string, string>>): readonly string[] {
  return Object.keys(resultContent(pair, results).data);
}

export async function deleteResults(plug: Plug, deps: PromiseDeps, signal: AbortSignal): Promise<void> {
  await deletePromised(resultRef(plug), plug, deps, signal);
}

function resultRef(plug: Plug) {
  return {
    apiVersion: "v1",
    kind: "Secret",
    namespace: namespaceOf(plug),
    name: `${plug.metadata.name}-integration-result`,
  };
}
