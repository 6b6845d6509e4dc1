import type { Logger } from "#base";
import { type KubeObject, keyOf, type StoreChange } from "#kube";
import type { Priority } from "./ready-queue.ts";
import type { ControllerSource } from "./controller-source.ts";

export interface FollowOptions {
  readonly sources: readonly ControllerSource[];
  readonly add: (key: string, priority: Priority) => void;
  readonly onMappingError: () => void;
  readonly log: Logger;
}

/** Adds the keys of what is there already, in the background, and from then on of what changes. */
export function followSources({ sources, ...options }: FollowOptions): Disposable {
  const subscriptions = new DisposableStack();
  for (const source of sources) subscriptions.use(followSource(source, options));
  return subscriptions;
}

function followSource({ reflector, keysOf }: ControllerSource, options: Omit<FollowOptions, "sources">): Disposable {
  const { add, onMappingError, log } = options;
  /** Where an object pointed before it changed: who lost it must hear of it too. */
  const before = new Map<string, readonly string[]>();

  function map(object: KubeObject, objectKey: string): readonly string[] {
    if (!keysOf) return [objectKey];
    try {
      return [...keysOf(object)];
    } catch (error) {
      onMappingError();
      log.error("cannot tell the keys of a change", { kind: object.kind, object: objectKey, error });
      return [];
    }
  }

  function tell(object: KubeObject, objectKey: string, isDeleted: boolean, priority: Priority): void {
    const keys = map(object, objectKey);
    for (const key of new Set([...keys, ...(before.get(objectKey) ?? [])])) add(key, priority);
    if (isDeleted || !keysOf || keys.length === 0) before.delete(objectKey);
    else before.set(objectKey, keys);
  }

  const subscription = reflector.subscribe(({ type, key, object, isInitial }: StoreChange) =>
    tell(object, key, type === "deleted", isInitial ? "background" : "live"),
  );
  for (const object of reflector.store.list()) tell(object, keyOf(object), false, "background");
  return subscription;
}
