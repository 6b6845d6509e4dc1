import { z } from "zod";
import { InputError, type JsonValue } from "#base";

/** A way to a cluster that the user names, instead of what the data says of it. */
export type ClusterReach = { readonly context: string } | { readonly inCluster: true };

/** Reads `--cluster-context NAME=CONTEXT`, as often as it was given. */
export function parseClusterContexts(texts: readonly string[]): ReadonlyMap<string, ClusterReach> {
  const reaches = new Map<string, ClusterReach>();
  for (const text of texts) {
    const [, name, context] = /^([^=]+)=(.+)$/.exec(text) ?? [];
    if (name === undefined || context === undefined) {
      throw new InputError(`--cluster-context ${text} is not NAME=CONTEXT`, {
        next: "write the cluster's name in the data, =, and a context of the kubeconfig",
      });
    }
    if (reaches.has(name)) throw new InputError(`--cluster-context names ${name} twice`, { next: "keep one of them" });
    reaches.set(name, { context });
  }
  return reaches;
}

const Reaches = z.record(
  z.string(),
  z.union([z.strictObject({ context: z.string().min(1) }), z.strictObject({ inCluster: z.literal(true) })]),
);

/** Reads the block `clusters:` of `tenon.yaml`: for each name `context: NAME` or `inCluster: true`. */
export function parseClusterReaches(block: JsonValue | undefined, where: string): ReadonlyMap<string, ClusterReach> {
  const read = Reaches.safeParse(block ?? {});
  if (read.success) return new Map(Object.entries(read.data));
  throw new InputError(`\`clusters\` is not valid: ${z.prettifyError(read.error)}`, {
    where,
    next: "write `context: NAME` or `inCluster: true` below the name of each cluster",
  });
}
