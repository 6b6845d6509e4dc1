import { z } from "zod";
import type { KindRef } from "./object.ts";
import type { ResourceLocation } from "./resource-path.ts";

export interface ApiSubresource {
  /** `status`, `scale`, `log`. */
  readonly name: string;
  readonly verbs: readonly string[];
}

/** A kind as one version of its group serves it. */
export interface ApiResource extends KindRef, ResourceLocation {
  readonly apiVersion: string;
  readonly kind: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly string[];
  readonly subresources: readonly ApiSubresource[];
}

export interface ApiVersion {
  readonly version: string;
  /** The API server behind this version did not answer when it was last asked: resources may be missing here. */
  readonly isStale: boolean;
  readonly resources: readonly ApiResource[];
}

export interface ApiGroup {
  /** Empty for the core group. */
  readonly name: string;
  /** The preferred version first. */
  readonly versions: readonly ApiVersion[];
}

const Verbs = z.array(z.string()).default([]);
const Names = z.array(z.string()).default([]);

/** https://kubernetes.io/docs/reference/generated/kubernetes-api/v1.34/#apigroupdiscoverylist-v2-apidiscovery-k8s-io */
const ApiGroupDiscoveryList = z.object({
  kind: z.literal("APIGroupDiscoveryList"),
  apiVersion: z.literal("apidiscovery.k8s.io/v2"),
  items: z.array(
    z.object({
      metadata: z.object({ name: z.string().default("") }),
      versions: z
        .array(
          z.object({
            version: z.string(),
            freshness: z.string().default("Current"),
            resources: z
              .array(
                z.object({
                  resource: z.string(),
                  responseKind: z.object({ kind: z.string() }).optional(),
                  scope: z.string(),
                  singularResource: z.string().default(""),
                  verbs: Verbs,
                  shortNames: Names,
                  categories: Names,
                  subresources: z.array(z.object({ subresource: z.string(), verbs: Verbs })).default([]),
                }),
              )
              .default([]),
          }),
        )
        .default([]),
    }),
  ),
});

type GroupDiscovery = z.infer<typeof ApiGroupDiscoveryList>["items"][number];
type ResourceDiscovery = GroupDiscovery["versions"][number]["resources"][number];

/** Undefined when the document is not aggregated discovery v2, which servers before Kubernetes 1.30 do not have. */
export function readApiGroups(document: unknown): readonly ApiGroup[] | undefined {
  const read = ApiGroupDiscoveryList.safeParse(document);
  return read.data?.items.map(groupOf);
}

function groupOf({ metadata: { name }, versions }: GroupDiscovery): ApiGroup {
  return {
    name,
    versions: versions.map(({ version, freshness, resources }) => ({
      version,
      isStale: freshness !== "Current",
      resources: resources.flatMap((resource) => resourceOf(name, version, resource)),
    })),
  };
}

/** A resource without a kind is only there for its subresources. */
function resourceOf(group: string, version: string, resource: ResourceDiscovery): ApiResource[] {
  const { resource: plural, responseKind, scope, singularResource, verbs, shortNames, categories } = resource;
  if (!responseKind?.kind) return [];
  return [
    {
      apiVersion: group === "" ? version : `${group}/${version}`,
      kind: responseKind.kind,
      group,
      version,
      plural,
      singular: singularResource || responseKind.kind.toLowerCase(),
      shortNames,
      categories,
      isNamespaced: scope === "Namespaced",
      verbs,
      subresources: resource.subresources.map(({ subresource, verbs: allowed }) => ({
        name: subresource,
        verbs: allowed,
      })),
    },
  ];
}
