import { z } from "zod";
import { defineKind, dnsName, duration, httpUrl, type ObjectOf, quantity, sized, validations } from "#crd";
import { tenonGroup } from "./propagation.ts";

/** The ClusterRole that an environment's account gets if its class names none. */
export const environmentRole = "tenon-environment";
/** The ClusterRole of a person who may look into an environment. */
export const environmentViewerRole = "tenon-environment-viewer";

const resources = (max: number) => sized(z.record(z.string(), quantity()), { max });

const Limits = z.object({
  default: resources(20).exactOptional().describe("What a container may use if it does not say."),
  defaultRequest: resources(20).exactOptional().describe("What a container requests if it does not say."),
  max: resources(20).exactOptional().describe("The most that a container may use."),
});

const Spec = validations(
  z.object({
    provider: z
      .enum(["namespace", "cluster"])
      .exactOptional()
      .describe("`namespace`: namespaces of this cluster; `cluster`: namespaces of another one. Default: `namespace`."),
    cluster: z
      .object({
        secretName: dnsName().describe(
          "A Secret of Tenon's own namespace with the key `kubeconfig`: an account of that cluster that may make namespaces.",
        ),
      })
      .exactOptional()
      .describe("The other cluster."),
    server: httpUrl()
      .exactOptional()
      .describe("The API server's address for those who use the environment; default: the one that Tenon uses."),
    clusterRole: dnsName()
      .exactOptional()
      .describe(
        `The ClusterRole of the environment's account in its namespace. Tenon must be allowed to bind it. Default: \`${environmentRole}\`.`,
      ),
    podSecurity: z
      .enum(["privileged", "baseline", "restricted"])
      .exactOptional()
      .describe("The pod security standard that is enforced. Default: `baseline`."),
    quota: resources(50)
      .exactOptional()
      .describe("The ResourceQuota. No load balancers and node ports unless it allows them."),
    limits: Limits.exactOptional().describe("The LimitRange of containers."),
    egress: z
      .array(z.string().min(1).max(50))
      .max(50)
      .exactOptional()
      .describe("Networks that pods may reach, such as `192.0.2.0/24`. Default: only their own namespace, and DNS."),
    ttlDefault: duration()
      .exactOptional()
      .describe("How long an environment lives if its claim does not say. Default: `1h`."),
    ttlMax: duration().exactOptional().describe("The longest that a claim may ask for. Default: `4h`."),
    grace: duration().exactOptional().describe("How long it lives after its owner has ended. Default: `1m`."),
    tokenLifetime: duration()
      .exactOptional()
      .describe("How long a token is valid; it is replaced before. At least `10m`; default: `1h`."),
    maxPerNamespace: z
      .int32()
      .min(1)
      .exactOptional()
      .describe("How many environments a namespace may have at once; further claims wait. Default: 5."),
    maxTotal: z.int32().min(1).exactOptional().describe("How many there may be at once in all. Default: no limit."),
  }),
  [
    {
      rule: "has(self.cluster) == (has(self.provider) && self.provider == 'cluster')",
      message: "cluster is for the provider cluster, and needed there",
      fieldPath: ".provider",
      check: ({ cluster, provider }) => (cluster !== undefined) === (provider === "cluster"),
    },
  ],
);

/** What environments of a kind are like, and who may have how many. */
export const EphemeralClass = defineKind({
  group: tenonGroup,
  version: "v1alpha1",
  kind: "EphemeralClass",
  plural: "ephemeralclasses",
  shortNames: ["eclass"],
  scope: "Cluster",
  description:
    "What ephemeral environments of a class are like: where they are, what they may use, and how long they live.",
  spec: Spec.describe("What the environments are like. A change concerns environments that are made later."),
  printerColumns: [
    { name: "Provider", type: "string", jsonPath: ".spec.provider" },
    { name: "Max", type: "integer", jsonPath: ".spec.maxPerNamespace" },
    { name: "TTL", type: "string", jsonPath: ".spec.ttlMax" },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
  ],
  examples: [
    {
      title: "Small namespaces of this cluster, two for each tenant",
      object: {
        apiVersion: `${tenonGroup}/v1alpha1`,
        kind: "EphemeralClass",
        metadata: { name: "small" },
        spec: {
          quota: { "limits.memory": "2Gi", pods: 20 },
          limits: { default: { memory: "256Mi" }, defaultRequest: { cpu: "50m" } },
          ttlDefault: "30m",
          ttlMax: "2h",
          maxPerNamespace: 2,
        },
      },
    },
  ],
});
export type EphemeralClass = ObjectOf<typeof EphemeralClass>;
