import { createReflector, type ReflectorOptions, type StoreChange } from "#kube";
import type { ControllerSource } from "./controller-source.ts";

export interface OptionalReflectorOptions extends ReflectorOptions {
  /** The name of the kind's definition, such as `pipelineruns.tekton.dev`. */
  readonly definition: string;
}

export interface OptionalReflector
  extends Pick<ControllerSource["reflector"], "store" | "hasSynced" | "problem" | "whenSynced" | "subscribe" | "run"> {
  /** Whether the cluster has the kind. */
  readonly isServed: boolean;
}

/**
 * A reflector of a kind that a cluster may lack. It is empty and synced while the kind is absent, and follows the kind once it
 * appears. A plain reflector would keep its controllers waiting, and ask again and again.
 */
export function createOptionalReflector({ definition, ...options }: OptionalReflectorOptions): OptionalReflector {
  const inner = createReflector(options);
  const definitions = createReflector({
    ...options,
    selection: {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      fieldSelector: `metadata.name=${definition}`,
      metadataOnly: true,
    },
    indexers: {},
  });
  const isServed = (): boolean => definitions.store.size > 0;
  return {
    store: inner.store,
    subscribe: (listener: (change: StoreChange) => void) => inner.subscribe(listener),
    get isServed() {
      return isServed();
    },
    get hasSynced() {
      return definitions.hasSynced && (!isServed() || inner.hasSynced);
    },
    get problem() {
      return definitions.problem ?? (isServed() ? inner.problem : undefined);
    },
    async whenSynced(signal) {
      await definitions.whenSynced(signal);
      if (isServed()) await inner.whenSynced(signal);
    },
    async run(signal) {
      let following: Promise<void> | undefined;
      using _ = definitions.subscribe(() => void (following ??= inner.run(signal)));
      await definitions.run(signal);
      await following;
    },
  };
}
