import { isRecord } from "#base";
import { keyOf, type KubeObject, type Reflector } from "#kube";
import type { StateGauge } from "../coupling-metrics.ts";
import { conditionOf } from "./unparsed-objects.ts";

/** Keeps a gauge at the number of objects in each state; a state without objects has no series. */
export function countStates(
  { store, subscribe }: Pick<Reflector, "store" | "subscribe">,
  gauge: StateGauge,
): Disposable {
  const stateOf = new Map<string, string>();
  const counts = new Map<string, number>();

  function add(id: string | undefined, amount: number): void {
    if (id === undefined) return;
    const count = (counts.get(id) ?? 0) + amount;
    const [state = "", reason = ""] = id.split(" ");
    if (count > 0) {
      counts.set(id, count);
      gauge.set(count, { state, reason });
    } else {
      counts.delete(id);
      gauge.remove({ state, reason });
    }
  }

  function note(key: string, id: string | undefined): void {
    const before = stateOf.get(key);
    if (before === id) return;
    if (id === undefined) stateOf.delete(key);
    else stateOf.set(key, id);
    add(id, 1);
    add(before, -1);
  }

  for (const object of store.list()) note(keyOf(object), stateIdOf(object));
  return subscribe(({ type, key, object }) => note(key, type === "deleted" ? undefined : stateIdOf(object)));
}

/** `Failed Error`; both are single words, and the reason may be empty. */
function stateIdOf(object: KubeObject): string {
  const { phase } = isRecord(object.status) ? object.status : {};
  const isDeleting = object.metadata.deletionTimestamp !== undefined;
  const reason = conditionOf(object, "Coupled")?.["reason"];
  const state = isDeleting ? "Deleting" : typeof phase === "string" ? phase : "New";
  return `${state} ${typeof reason === "string" ? reason : ""}`;
}
