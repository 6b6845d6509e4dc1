import { done, requeueAfter, type Result } from "#runtime";
import { identityOf } from "../kinds/index.ts";
import { projectBinding } from "../projection/project-binding.ts";
import type { ResolvedInputs, ResolvedResults } from "../sources/resolved.ts";
import type { CouplingAttempt, PlugAttempt } from "./coupling-attempt.ts";
import type { CouplingDeps } from "./coupling-deps.ts";
import { failing } from "./coupling-failure.ts";
import { followInputs } from "./read-inputs.ts";
import { resultTexts } from "./settle-results.ts";
import { clientOf } from "./side-actions.ts";
import { bindingKeys } from "./result-secret.ts";
import { tendingOf, tendObjects } from "./tend-objects.ts";
import { ownTended, pairingTended } from "./tended-objects.ts";

/** Looks after the objects of the plug's own stages and of the pairing. */
export async function tendPlug(
  attempt: CouplingAttempt,
  { inputs, results }: { readonly inputs: ResolvedInputs; readonly results: ResolvedResults | undefined },
  deps: CouplingDeps,
  signal: AbortSignal,
): ReturnType<typeof tendObjects> {
  const { pair, memory } = attempt;
  const { stage = "coupled" } = memory.pairing ?? {};
  const rendered = [
    ...(await ownTended(pair.plug, deps, signal).catch(failing("repair", "plug"))),
    ...(await pairingTended(pair, stage, inputs, results, deps, signal).catch(failing("repair"))),
  ];
  return await tendObjects(rendered, tendingOf(attempt), () => followInputs(attempt, deps), deps, signal);
}

/** Mounts the Secret with the results where the plug asks for it. */
export function projectResults(
  attempt: CouplingAttempt,
  results: ResolvedResults,
  deps: CouplingDeps,
  signal: AbortSignal,
): ReturnType<typeof projectBinding> {
  const { pair } = attempt;
  const resultHash = deps.fingerprint.ofResults(pair, results);
  const content = {
    keys: bindingKeys(pair, resultTexts(results)),
    fingerprint: (shape: unknown) => deps.fingerprint.ofParts([resultHash, shape]),
  };
  return projectBinding(attempt, content, () => followInputs(attempt, deps), deps, signal);
}

/** Looks after the objects of `created` while the plug waits for its socket. */
export async function tendWaitingPlug(attempt: PlugAttempt, deps: CouplingDeps, signal: AbortSignal): Promise<Result> {
  const { plug, session } = attempt;
  const follow = (): void => {
    const account = { user: identityOf(plug).user, client: clientOf(plug, deps) };
    deps.inputs.watches.follow(session.key, session.care.followed, () => account);
  };
  const own = await ownTended(plug, deps, signal).catch(failing("repair", "plug"));
  if (own.length === 0) deps.inputs.watches.forget(session.key);
  const { restMs } = await tendObjects(own, tendingOf(attempt), follow, deps, signal);
  return restMs === undefined ? done : requeueAfter(restMs);
}
