import { silentLogger } from "#base";
import { createReflector, type KubeClient, type KubeObject, type ReflectorOptions, type StoreChange } from "#kube";
import type { ControllerSource } from "./controller-source.ts";

export interface OptionalReflectorOptions extends ReflectorOptions {
  readonly client: ReflectorOptions["client"] & Pick<KubeClient, "discovery">;
  /** The name of the kind's definition, such as `pipelineruns.tekton.dev`. */
  readonly definition: string;
  /** Whether a definition of that name is the one that is meant; default: any. */
  readonly isMeant?: (definition: KubeObject) => boolean;
}

/** A reflector that also knows whether the cluster has the kind. */
export type OptionalReflector = ControllerSource["reflector"] & { readonly isServed: boolean };

/**
 * A reflector of a kind that a cluster may lack. It is empty and synced while the kind is absent, which it logs once, and
 * follows the kind once it appears. A plain reflector would keep its controllers waiting, and ask again and again.
 */
export function createOptionalReflector({
  definition,
  isMeant = () => true,
  ...options
}: OptionalReflectorOptions): OptionalReflector {
  const { log = silentLogger } = options;
  const inner = createReflector(options);
  // The definition is of another kind: what is kept of the objects, and how they are found, is not for it.
  const { transform: _transform, indexers: _indexers, ...shared } = options;
  const definitions = createReflector({
    ...shared,
    selection: {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      fieldSelector: `metadata.name=${definition}`,
      metadataOnly: true,
    },
  });
  /** The definition is there a moment before the server serves the kind. */
  async function follow(signal: AbortSignal): Promise<void> {
    const isEnded = await options.client.discovery.whenServed(options.selection, signal).catch(() => signal.aborted);
    if (isEnded !== true) await inner.run(signal);
  }
  const isServed = (): boolean => definitions.store.list().some(isMeant);
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
      let isMissed = false;
      using _ = definitions.subscribe(() => {
        if (following || !isServed()) return;
        following = follow(signal);
        if (isMissed) log.info("the kind is installed now", { kind: definition });
      });
      const reportAbsence = async (): Promise<void> => {
        await definitions.whenSynced(signal);
        isMissed = !isServed();
        if (isMissed)
          log.info("the cluster does not have this kind; it is picked up when it appears", { kind: definition });
      };
      await Promise.all([definitions.run(signal), reportAbsence().catch(() => {})]);
      await following;
    },
  };
}
