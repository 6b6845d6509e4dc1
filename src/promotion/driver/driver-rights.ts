import type { Right } from "#runtime";
import { environmentAccount } from "../kinds/environment-names.ts";
import { tenonGroup } from "../kinds/propagation.ts";

const cluster = { where: "cluster" } as const;
const resourceGroup = "resource.k8s.io";

/** The rights of the resource driver. It runs on every node, and reads no Secret. */
export const driverRights: readonly Right[] = [
  {
    ...cluster,
    apiGroup: resourceGroup,
    resources: ["resourceclaims"],
    verbs: ["get"],
    why: "learn what the scheduler gave a claim",
  },
  {
    ...cluster,
    apiGroup: resourceGroup,
    resources: ["resourceslices"],
    verbs: ["list", "watch", "create", "patch"],
    why: "publish the slots of the node",
  },
  {
    ...cluster,
    apiGroup: "",
    resources: ["nodes"],
    verbs: ["get", "list", "watch"],
    why: "know the container runtime of the node",
  },
  {
    ...cluster,
    apiGroup: "",
    resources: ["pods"],
    verbs: ["get"],
    why: "know the PipelineRun of a pod; only metadata is requested",
  },
  {
    ...cluster,
    apiGroup: tenonGroup,
    resources: ["ephemeralclasses"],
    verbs: ["get"],
    why: "know how long tokens are valid, and how pods reach the API server",
  },
  {
    ...cluster,
    apiGroup: tenonGroup,
    resources: ["ephemeralclaims"],
    verbs: ["get", "create", "delete"],
    why: "claim environments, and give them back",
  },
  {
    ...cluster,
    apiGroup: "",
    resources: ["serviceaccounts/token"],
    verbs: ["create"],
    names: [environmentAccount],
    why: "make tokens for environments, and for no other account",
  },
];
