import { leaseRights, ownServiceAccount, type Right } from "#runtime";
import { group, leaseName } from "./kinds/names.ts";
import { installationSecretName } from "./lifecycle/fingerprint.ts";

/** What the job `couple` does as itself. Whatever plugs and sockets ask for is done as their service accounts. */
export const coupleRights: readonly Right[] = [
  {
    where: "cluster",
    apiGroup: group,
    resources: ["plugs", "sockets"],
    verbs: ["get", "list", "watch", "patch"],
    why: "follow plugs and sockets, and hold them until they are decoupled",
  },
  {
    where: "cluster",
    apiGroup: group,
    resources: ["plugs"],
    verbs: ["delete"],
    why: "delete the plugs of a deleted socket, where its deletionPolicy says so",
  },
  {
    where: "cluster",
    apiGroup: group,
    resources: ["plugs/status", "sockets/status"],
    verbs: ["patch"],
    why: "say how they are",
  },
  {
    where: "cluster",
    apiGroup: "",
    resources: ["serviceaccounts"],
    verbs: ["impersonate"],
    why: "read and write as the service account of the plug or socket that asks for it",
  },
  {
    where: "cluster",
    apiGroup: "",
    resources: ["namespaces", "configmaps", "secrets"],
    verbs: ["list", "watch"],
    why: "see that something changed; only metadata is asked for",
  },
  {
    where: "cluster",
    apiGroup: "",
    resources: ["secrets"],
    verbs: ["get", "create", "patch", "delete"],
    why: "keep configs for decoupling, and results for applications",
  },
  {
    where: "cluster",
    apiGroup: "",
    resources: ["pods"],
    verbs: ["list", "watch"],
    why: "see how the pods of apparatuses are",
  },
  {
    where: "cluster",
    apiGroup: "",
    resources: ["services"],
    verbs: ["get"],
    why: "know where a Service leads that an endpoint names, and refuse one that leads elsewhere",
  },
  {
    where: "cluster",
    apiGroup: "discovery.k8s.io",
    resources: ["endpointslices"],
    verbs: ["list"],
    why: "know the pods of such a Service, if it has no address of its own",
  },
  {
    where: "cluster",
    apiGroup: "events.k8s.io",
    resources: ["events"],
    verbs: ["create", "patch"],
    why: "tell what happened to plugs and sockets",
  },
  {
    where: "own namespace",
    apiGroup: "",
    resources: ["serviceaccounts/token"],
    verbs: ["create"],
    names: [ownServiceAccount],
    why: "show apparatuses a token by which they know who calls",
  },
  {
    where: "own namespace",
    apiGroup: "",
    resources: ["secrets"],
    verbs: ["get"],
    names: [installationSecretName],
    why: "read the key of the installation",
  },
  {
    where: "own namespace",
    apiGroup: "",
    resources: ["secrets"],
    verbs: ["create"],
    why: "make the key of the installation",
  },
  ...leaseRights(leaseName),
];
