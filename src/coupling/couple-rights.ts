import { leaseRights, ownServiceAccount, type Right } from "#runtime";
import { group, leaseName } from "./kinds/names.ts";
import { installationSecretName } from "./lifecycle/fingerprint.ts";

/** The rights of the job `couple` itself. The work of plugs and sockets is done as their service accounts. */
export const coupleRights: readonly Right[] = [
  {
    where: "cluster",
    apiGroup: group,
    resources: ["plugs", "sockets"],
    verbs: ["get", "list", "watch", "patch"],
    why: "watch plugs and sockets, and add finalizers to them",
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
    resources: ["deferredresources"],
    verbs: ["get", "list", "watch"],
    why: "watch DeferredResources",
  },
  {
    where: "cluster",
    apiGroup: group,
    resources: ["plugs/status", "sockets/status", "deferredresources/status"],
    verbs: ["patch"],
    why: "report their status",
  },
  {
    where: "cluster",
    apiGroup: "",
    resources: ["serviceaccounts"],
    verbs: ["impersonate"],
    why: "read and write as the service account of the plug, socket or DeferredResource that asks for it",
  },
  {
    where: "cluster",
    apiGroup: "",
    resources: ["namespaces", "configmaps", "secrets"],
    verbs: ["list", "watch"],
    why: "notice changes; only metadata is requested",
  },
  {
    where: "cluster",
    apiGroup: "",
    resources: ["secrets"],
    verbs: ["get", "create", "patch", "delete"],
    why: "store configs for decoupling, and results for applications",
  },
  {
    where: "cluster",
    apiGroup: "",
    resources: ["pods"],
    verbs: ["list", "watch"],
    why: "watch the pods of apparatuses",
  },
  {
    where: "cluster",
    apiGroup: "",
    resources: ["services"],
    verbs: ["get"],
    why: "find the addresses of a Service that an endpoint names, and refuse one of type ExternalName",
  },
  {
    where: "cluster",
    apiGroup: "discovery.k8s.io",
    resources: ["endpointslices"],
    verbs: ["list"],
    why: "find the pods of such a Service if it is headless",
  },
  {
    where: "cluster",
    apiGroup: "events.k8s.io",
    resources: ["events"],
    verbs: ["create", "patch"],
    why: "record Events about plugs, sockets and DeferredResources",
  },
  {
    where: "own namespace",
    apiGroup: "",
    resources: ["serviceaccounts/token"],
    verbs: ["create"],
    names: [ownServiceAccount],
    why: "send apparatuses a token that identifies the caller",
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
    why: "create the key of the installation",
  },
  ...leaseRights(leaseName),
];
