/** Strings that users rely on: manifests, dashboards, scripts, and clusters that integration-operator ran before. */
export const group = "integration.rock8s.com";
export const version = "v1beta1";
export const apiVersion = `${group}/${version}`;

export const finalizer = `${group}/finalizer`;
export const couplingFieldManager = "integration-operator";
export const leaseName = "cb0904ca.rock8s.com";

/** On every object that a template made. */
export const labels = {
  managedBy: "app.kubernetes.io/managed-by",
  plugUid: `${group}/plug-uid`,
  socketUid: `${group}/socket-uid`,
  side: `${group}/side`,
} as const;

/** On apparatus pods; the Services select by both. */
export const apparatusLabels = { name: "apparatus", uid: `${group}/apparatus-uid` } as const;

export const annotations = {
  /** On an object of a template: `Kind/namespace/name` of the Plug or Socket with the template. */
  owner: `${group}/owner`,
  /** Set by the owner of another object: Tenon may delete and recreate it like its own. */
  adopt: `${group}/adopt`,
  /** On a Plug or Socket: how long a failing stage may keep it from being deleted, such as `30s`. */
  decoupleTimeout: `${group}/decouple-timeout`,
  /** On a Plug or Socket: deletion waits for nothing, whatever is left behind. */
  forceDelete: `${group}/force-delete`,
  /** On a Plug: any new value starts an attempt now. */
  retry: `${group}/retry`,
  /** On a Plug or Socket: how long its apparatus may take to answer, such as `5m`. */
  apparatusTimeout: `${group}/apparatus-timeout`,
  /** On a Plug or Socket: how long its apparatus may answer 202, such as `6h`. */
  apparatusDeadline: `${group}/apparatus-deadline`,
  /** On a Plug or Socket: its apparatus pod is never stopped for being idle. */
  apparatusKeep: `${group}/apparatus-keep`,
  /** On an apparatus pod: when it was last called. */
  lastUsed: `${group}/last-used`,
  /** On an apparatus pod: a hash of the spec that it was made from. */
  apparatusSpec: `${group}/apparatus-spec`,
} as const;

/** The type of the Secrets with the configs for decoupling. */
export const stateSecretType = `${group}/state`;

/** The reporting components of Events. */
export const reporters = {
  Plug: "plug-controller",
  Socket: "socket-controller",
  DeferredResource: "deferredresource-controller",
} as const;

export type Side = "plug" | "socket";
export const stageNames = ["created", "coupled", "updated", "decoupled", "deleted"] as const;
export type Stage = (typeof stageNames)[number];

const stageReasons = {
  created: "Created",
  coupled: "Coupled",
  updated: "Updated",
  decoupled: "Decoupled",
  deleted: "Deleted",
} as const;

/** The reason of the Event that ends a side's half of a stage, such as `PlugCoupled`. */
export function stageEventReason(kind: "Plug" | "Socket", stage: Stage): string {
  return `${kind}${stageReasons[stage]}`;
}

/** The reasons of warning Events. */
export const warnings = {
  failed: "IntegrationFailed",
  abandoned: "DecoupleAbandoned",
  unquoted: "UnquotedValue",
  empty: "EmptyValue",
  noLongerAdmitted: "NoLongerAdmitted",
  updateLoop: "UpdateLoop",
  repairLoop: "RepairLoop",
  sharedObject: "SharedObjectDiffers",
  bindingLeft: "BindingLeft",
} as const;

/** The reason of the Event about an object of `resources` that was put back. */
export const repairedReason = "ResourceRepaired";

/** The reason of the Event about a workload that got the binding. */
export const mountedReason = "BindingMounted";
