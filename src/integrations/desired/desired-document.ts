import { isDeepStrictEqual } from "node:util";
import { compareText } from "#base";
import type { Desired, DesiredNamespace } from "./desired.ts";
import { targetKey } from "../survey/survey-namespaces.ts";

/** The desired state of one namespace, short enough to compare with that of another bundle. */
export interface NamespaceDocument {
  /** Kind, name and hash of each object, sorted. */
  readonly objects: readonly (readonly [kind: string, name: string, sha256: string])[];
  /** The effective values, without their sources. */
  readonly parameters: Readonly<Record<string, string>>;
  /** The integrations that are suspended here, sorted, each with the reason. */
  readonly suspended: readonly (readonly [integration: string, reason: string])[];
}

/** What should run, by `cluster/namespace`. */
export type DesiredDocument = Readonly<Record<string, NamespaceDocument>>;

export function desiredDocument({ groups, suspensions }: Pick<Desired, "groups" | "suspensions">): DesiredDocument {
  const document: Record<string, NamespaceDocument> = {};
  for (const { namespace, resources, parameters } of groups) {
    const key = targetKey(namespace.cluster.name, namespace.name);
    const objects = [
      ...(document[key]?.objects ?? []),
      ...resources.map((resource) => [resource.kindAndGroup, resource.name, resource.sha256()] as const),
    ];
    document[key] = {
      objects: objects.toSorted((one, other) => (one.join(" ") < other.join(" ") ? -1 : 1)),
      parameters: {
        ...document[key]?.parameters,
        ...Object.fromEntries([...parameters].map(([name, { value }]) => [name, value])),
      },
      suspended: [...(document[key]?.suspended ?? []), ...suspendedIn({ namespace, resources }, suspensions)].toSorted(
        ([one], [other]) => compareText(one, other),
      ),
    };
  }
  return document;
}

function suspendedIn(
  { namespace: { name: namespace, cluster }, resources }: Pick<DesiredNamespace, "namespace" | "resources">,
  suspensions: Desired["suspensions"],
): NamespaceDocument["suspended"] {
  const here = new Set(resources.map(({ attribution }) => attribution));
  return suspensions
    .filter(({ integration, target }) => {
      return here.has(integration) && (!target || (target.cluster === cluster.name && target.namespace === namespace));
    })
    .map(({ integration, reason }) => [integration, reason]);
}

/** The namespaces, as `cluster/namespace`, whose desired state differs. */
export function changedNamespaces(base: DesiredDocument, head: DesiredDocument): ReadonlySet<string> {
  const keys = new Set([...Object.keys(base), ...Object.keys(head)]);
  return new Set([...keys].filter((key) => !isDeepStrictEqual(base[key], head[key])));
}
