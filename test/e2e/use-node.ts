import { inject } from "vitest";
import { type LoadedImage, loadImages } from "#cluster";
import { testKubeconfig, useNamespace, type TestNamespace } from "#harness";

/** A namespace on the run's real node; see global-setup.ts. */
export interface NodeWorld extends TestNamespace {
  readonly kubeconfig: string;
  /** Where images can be pushed to, and pods pull them from by the same name: `127.0.0.1:PORT`. */
  readonly registry: string;
  /** Puts image archives on the node: pods find them by name, with `imagePullPolicy: IfNotPresent` or `Never`. */
  readonly load: (...archives: readonly string[]) => Promise<readonly LoadedImage[]>;
}

/** Gives the test file the run's real node and a namespace of its own, deleted at the end. Call it at the top level. */
export function useNode(): NodeWorld {
  const { registry } = inject("node");
  return { ...useNamespace(), kubeconfig: testKubeconfig(), registry, load: loadOnNode };
}

/** The same for files that have namespaces of their own. */
export async function loadOnNode(...archives: readonly string[]): Promise<readonly LoadedImage[]> {
  const { home, name } = inject("node");
  return await loadImages({ home, name, files: archives }, new AbortController().signal);
}
