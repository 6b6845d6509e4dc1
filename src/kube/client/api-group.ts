import { isRecord } from "#base";
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

/**
 * Undefined when the document is not aggregated discovery v2, which servers before Kubernetes 1.30 do not have:
 * https://kubernetes.io/docs/reference/generated/kubernetes-api/v1.34/#apigroupdiscoverylist-v2-apidiscovery-k8s-io
 * Read by hand: every command reads it, and a library for it takes longer to load than all of this to answer.
 */
export function readApiGroups(document: unknown): readonly ApiGroup[] | undefined {
  if (!isRecord(document) || !Array.isArray(document.items)) return undefined;
  if (document.kind !== "APIGroupDiscoveryList" || document.apiVersion !== "apidiscovery.k8s.io/v2") return undefined;
  return recordsOf(document.items).map(groupOf);
}

function groupOf({ metadata, versions }: Fields): ApiGroup {
  const name = isRecord(metadata) ? textOf(metadata.name) : "";
  return {
    name,
    versions: recordsOf(versions).map((served) => {
      const version = textOf(served.version);
      return {
        version,
        isStale: served.freshness !== undefined && served.freshness !== "Current",
        resources: recordsOf(served.resources).flatMap((resource) => resourceOf(name, version, resource)),
      };
    }),
  };
}

/** A resource without a kind is only there for its subresources. */
function resourceOf(group: string, version: string, resource: Fields): ApiResource[] {
  const { responseKind, scope, subresources } = resource;
  const kind = isRecord(responseKind) ? textOf(responseKind.kind) : "";
  const plural = textOf(resource.resource);
  if (kind === "" || plural === "") return [];
  return [
    {
      apiVersion: group === "" ? version : `${group}/${version}`,
      kind,
      group,
      version,
      plural,
      singular: textOf(resource.singularResource) || kind.toLowerCase(),
      shortNames: textsOf(resource.shortNames),
      categories: textsOf(resource.categories),
      isNamespaced: scope === "Namespaced",
      verbs: textsOf(resource.verbs),
      subresources: recordsOf(subresources).map(({ subresource, verbs }) => ({
        name: textOf(subresource),
        verbs: textsOf(verbs),
      })),
    },
  ];
}

type Fields = Readonly<Record<string, unknown>>;

function recordsOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
