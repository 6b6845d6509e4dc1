import { InputError } from "#base";
import { ForgeError } from "#forge";
import { RegistryError } from "#oci";
import type { PropagationStage } from "../kinds/propagation.ts";

/** The same failure with the field of the Propagation and what to do about it there. */
export function explainStageError(error: unknown, stage: PropagationStage): unknown {
  if (!isUnplaced(error)) return error;
  const { what, next } = error;
  if (/commits cannot be signed/.test(what)) return placed(error, "spec.identity.signingKey");
  const { credentials, commitToBase } = stage.forge;
  const place = (field: string, advice = next) => placed(error, `spec.stages[${stage.name}]${field}`, advice);
  if (/authentication failed|ssh access denied|credentials do not allow|the forge answers 40[13]\b/.test(what)) {
    const advice = credentials === undefined ? "name a Secret with a token" : `${next}; it is in Secret ${credentials}`;
    return place(".forge.credentials", advice);
  }
  if (/branch, tag or commit .* not found/.test(what)) return place(".branch");
  if (!/does not allow Tenon to push to branch/.test(what)) return place("");
  return commitToBase
    ? place(".branch", "allow the account to push to this branch, or remove commitToBase and merge by hand")
    : place(".branchPrefix");
}

/** The same for one image of the source, by its place in the list. */
export function explainSourceError(error: unknown, index: number): unknown {
  if (!isUnplaced(error)) return error;
  return placed(error, /denies access/.test(error.what) ? "spec.source.credentials" : `spec.source.images[${index}]`);
}

const longestWaitMs = 60 * 60_000;

/** How long a registry or a forge asks to wait before the next request. */
export function askedWaitMs(error: unknown): number | undefined {
  if (!(error instanceof ForgeError || error instanceof RegistryError)) return undefined;
  return error.retryAfterMs === undefined ? undefined : Math.min(error.retryAfterMs, longestWaitMs);
}

function isUnplaced(error: unknown): error is InputError {
  return error instanceof InputError && error.where?.startsWith("spec.") !== true;
}

/** Without a cause: it says the same once more, and a condition is one sentence. */
function placed({ what, where, next: own }: InputError, field: string, next = own): InputError {
  const said = where === undefined ? what : `${where}: ${what}`;
  return new InputError(said, { where: field, ...(next === undefined ? {} : { next }) });
}
