import type { KubeObject } from "./object.ts";

/** For tests: a kind of this group with a schema, a rule in it, and a status. */
export function defineLamps(group: string): KubeObject {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `lamps.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural: "lamps", singular: "lamp", kind: "Lamp", shortNames: ["lp"] },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: {
            openAPIV3Schema: {
              type: "object",
              properties: {
                spec: { type: "object", properties: { watts: { type: "integer", minimum: 1 } }, required: ["watts"] },
                status: { type: "object", properties: { isLit: { type: "boolean" } } },
              },
            },
          },
        },
      ],
    },
  };
}
