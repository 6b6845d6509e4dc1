import { ApiError, type ApiResource, type KubeClient, reviewOwnAccess } from "#kube";

/** Where a person may list and watch a kind: everywhere, or in some namespaces. */
export type OwnScope =
  | { readonly kind: "everywhere" }
  | { readonly kind: "namespaces"; readonly names: readonly string[] };

/** Each namespace costs a review. */
const mostNamespaces = 500;

/**
 * Asks the API server where the person may list and watch a kind. `candidates` are names of namespaces to ask about, for persons
 * who may not list namespaces; a name that the person may not read in goes no further.
 */
export async function findOwnScope(
  client: KubeClient,
  { group, plural: resource }: Pick<ApiResource, "group" | "plural">,
  candidates: (signal: AbortSignal) => Promise<readonly string[]>,
  signal: AbortSignal,
): Promise<OwnScope> {
  const may = async (namespace: string | undefined): Promise<boolean> => {
    const answers = await Promise.all(
      ["list", "watch"].map((verb) =>
        reviewOwnAccess(client, { verb, group, resource, ...(namespace === undefined ? {} : { namespace }) }, signal),
      ),
    );
    return answers.every(({ isAllowed }) => isAllowed);
  };
  if (await may(undefined)) return { kind: "everywhere" };
  const names = (await listNamespaces(client, signal)) ?? (await candidates(signal));
  const allowed = await Promise.all(
    names.slice(0, mostNamespaces).map(async (name) => ((await may(name)) ? [name] : [])),
  );
  return { kind: "namespaces", names: allowed.flat() };
}

/** Undefined without the right to list them. */
export async function listNamespaces(client: KubeClient, signal: AbortSignal): Promise<string[] | undefined> {
  try {
    const { items } = await client.list({ apiVersion: "v1", kind: "Namespace", metadataOnly: true }, signal);
    return items.map(({ metadata }) => metadata.name);
  } catch (error) {
    if (error instanceof ApiError && error.isForbidden) return undefined;
    throw error;
  }
}

export function isSameScope(one: OwnScope, other: OwnScope): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
