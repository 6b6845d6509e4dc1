import type { KubeObject } from "#kube";
import type { Action } from "../plan/plan.ts";
import { NotDone } from "./outcome.ts";
import { ownerOf } from "../object/attribution.ts";

/**
 * How often somebody may write between our look and our write. While pods come and go, the controller of a workload reports several times
 * a second; what else changes the object is found by the look.
 */
export const attempts = 10;

export type Expected = NonNullable<Action["expected"]>;

/** The object, if it is still what the plan was made for; what controllers report in the meantime does not count. */
export function checkUnchanged(
  expected: Expected | undefined,
  live: KubeObject | undefined,
  integration: string,
): KubeObject {
  const next = "plan again";
  if (!live) throw new NotDone("refused", "was deleted since the plan was made", next);
  if (!expected) return live;
  const { uid, resourceVersion, generation } = live.metadata;
  if (uid !== expected.uid) {
    throw new NotDone("refused", "was deleted and created again since the plan was made", next);
  }
  if (resourceVersion === expected.resourceVersion) return live;
  const owner = ownerOf(live.metadata) ?? integration;
  if (owner !== integration) throw new NotDone("refused", `belongs to ${owner} since the plan was made`, next);
  if (generation === undefined || generation !== expected.generation) {
    throw new NotDone("refused", "was changed since the plan was made", next);
  }
  return live;
}

/** What to expect of an object that was just read or written. */
export function expectedOf({ metadata: { uid = "", resourceVersion = "", generation } }: KubeObject): Expected {
  return { uid, resourceVersion, generation };
}
