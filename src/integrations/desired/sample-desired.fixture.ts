import type { JsonObject } from "#base";
import { ManagedObject } from "#inventory";
import type { NamespaceData } from "../data/integration.ts";
import type { Desired, DesiredNamespace } from "./desired.ts";
import { managerIdentity } from "../manager-defaults.ts";

/** A namespace of the data, for tests: `c1/n1`, or with an environment `c1/n1@stage`. */
export function sampleNamespace(target: string, more: Partial<NamespaceData> = {}): NamespaceData {
  const [, cluster = "", name = "", environment = "test"] = /^([^/]+)\/([^@]+)(?:@(.*))?$/.exec(target) ?? [];
  return {
    path: `/namespaces/${cluster}-${name}.yml`,
    name,
    environment: { name: environment, parameters: {} },
    cluster: {
      name: cluster,
      serverUrl: `https://${cluster}.example`,
      disabledIntegrations: [],
      automationToken: { path: `clusters/${cluster}`, field: "token" },
      automationTokens: [],
      labels: {},
    },
    ...more,
  };
}

/** A Deployment, of an integration or of none. */
export function sampleResource(
  name: string,
  attribution: string | undefined = name,
  spec: JsonObject = {},
): ManagedObject {
  const body = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name }, spec };
  return new ManagedObject({ ...managerIdentity, body, attribution });
}

export function sampleGroup(namespace: NamespaceData, resources: readonly ManagedObject[] = []): DesiredNamespace {
  const kinds = [...new Set(resources.map(({ kind }) => kind))];
  return { namespace, resources, kinds, parameters: new Map() };
}

export function sampleDesired(groups: readonly DesiredNamespace[], more: Partial<Desired> = {}): Desired {
  return {
    groups,
    errors: [],
    warnings: [],
    declared: new Set(),
    names: new Set(),
    namespaces: groups.map(({ namespace }) => namespace),
    callers: new Set(),
    suspensions: [],
    after: new Map(),
    running: new Set(groups.map(({ namespace }) => namespace.path)),
    ...more,
  };
}
