import { z } from "zod";
import { listMap, sized } from "./collections.ts";
import { defineKind, type ObjectOf } from "./define-kind.ts";
import { dnsLabel, duration, quantity } from "./kube-values.ts";
import { validations } from "./validations.ts";

const WidgetSpec = validations(
  z.object({
    size: z.enum(["Small", "Large"]).default("Small").describe("How much of the bench the widget takes."),
    minReplicas: z.int32().min(0).max(10).default(1).describe("The least number of copies."),
    maxReplicas: z.int32().min(1).max(10).optional().describe("The greatest number of copies."),
    owner: validations(z.string().min(1).max(63), [{ rule: "self == oldSelf", message: "cannot change" }]).describe(
      "The team that answers for the widget.",
    ),
    timeout: duration().optional().describe("How long to wait for the widget."),
    memory: quantity().default("64Mi").describe("What the widget may use."),
    labels: sized(z.record(z.string(), z.string().max(63)), { max: 8 })
      .optional()
      .describe("Anything else, by name."),
    ports: listMap(
      z
        .array(z.object({ name: dnsLabel().describe("Unique."), port: z.int32().min(1).max(65535).describe("TCP.") }))
        .max(4),
      ["name"],
    )
      .optional()
      .describe("Where the widget listens."),
  }),
  [
    {
      rule: "!has(self.maxReplicas) || self.minReplicas <= self.maxReplicas",
      message: "minReplicas is at most maxReplicas",
      fieldPath: ".minReplicas",
      check: ({ minReplicas, maxReplicas = Infinity }) => minReplicas <= maxReplicas,
    },
  ],
);

const WidgetStatus = z.object({
  replicas: z.int32().min(0).optional().describe("How many copies there are."),
});

/** A kind for tests; each run has a group of its own, so that runs can share an API server. */
export function toyWidget(group: string) {
  return defineKind({
    group,
    version: "v1alpha1",
    kind: "Widget",
    shortNames: ["wd"],
    categories: ["toys"],
    scope: "Namespaced",
    description: "A thing to try the generator on.",
    spec: WidgetSpec.describe("What the widget should be."),
    status: WidgetStatus.describe("What the widget is."),
    rules: [{ rule: "self.metadata.name.size() <= 40", message: "the name has at most 40 characters" }],
    printerColumns: [
      { name: "Size", type: "string", jsonPath: ".spec.size", description: "How large it is." },
      { name: "Owner", type: "string", jsonPath: ".spec.owner", priority: 1 },
    ],
    selectableFields: [".spec.owner"],
    scale: { specReplicasPath: ".spec.minReplicas", statusReplicasPath: ".status.replicas" },
    examples: [
      {
        title: "A small widget",
        object: {
          apiVersion: `${group}/v1alpha1`,
          kind: "Widget",
          metadata: { name: "small", namespace: "default" },
          spec: { owner: "team-a", timeout: "30s", ports: [{ name: "http", port: 8080 }] },
        },
      },
    ],
  });
}

export type Widget = ObjectOf<ReturnType<typeof toyWidget>>;
