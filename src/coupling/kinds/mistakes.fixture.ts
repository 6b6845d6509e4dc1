/** For tests: what must be refused when it is written, by the API server and by zod alike. */
interface Mistake {
  readonly kind: "Plug" | "Socket";
  readonly spec: object;
  /** Of the server's message. */
  readonly says: string;
  /** The mistake is a field that there is not: refused if the writer asks for it, as kubectl does, and dropped otherwise. */
  readonly isUnknown?: true;
  readonly reason: string;
}

const configMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "x" } };

const plugs: readonly Omit<Mistake, "kind">[] = [
  { spec: { config: { port: 5432 } }, says: "spec.config.port", reason: "a number without quotes" },
  { spec: { config: { flag: true } }, says: "spec.config.flag", reason: "a boolean without quotes" },
  {
    spec: { resources: [{ do: "aply", template: configMap }] },
    says: "spec.resources[0].do",
    reason: "a typo in do",
  },
  {
    spec: { resources: [{ when: ["couple"], template: configMap }] },
    says: "spec.resources[0].when[0]",
    reason: "a typo in when",
  },
  { spec: { resources: [{ when: [], template: configMap }] }, says: "spec.resources[0].when", reason: "no stage" },
  { spec: { resources: [{ do: "apply" }] }, says: "a resource needs template", reason: "no template" },
  { spec: { resultResources: [{ do: "apply" }] }, says: "a resource needs template", reason: "no template" },
  { spec: { workload: { kind: "Deployment" } }, says: "either name or selector", reason: "neither name nor selector" },
  {
    spec: { workload: { kind: "Deployment", name: "a", selector: {} } },
    says: "either name or selector",
    reason: "name and selector",
  },
  { spec: { workload: { kind: "Job", name: "a" } }, says: "spec.workload.kind", reason: "a kind that cannot restart" },
  {
    spec: { workload: { apiVersion: "apps/v1", kind: "CronJob", name: "a" } },
    says: "batch/v1",
    reason: "an API version of another kind",
  },
  {
    spec: { workload: { kind: "Deployment", name: "a", mountPath: "bindings" } },
    says: "spec.workload.mountPath",
    reason: "a mount path that is not absolute",
  },
  { spec: { resource: [] }, says: "spec.resource", isUnknown: true, reason: "a field that there is not" },
  {
    spec: { vars: [{ name: "v", objref: { version: "v1", kind: "Pod" } }] },
    says: "objref needs name",
    reason: "no name",
  },
  {
    spec: { vars: [{ name: "v", objref: { kind: "Pod", name: "a" } }] },
    says: "objref needs apiVersion",
    reason: "no version",
  },
  {
    spec: { resources: [{ repair: true, do: "recreate", template: {} }] },
    says: "repair needs do: apply",
    reason: "a Job that would run for ever",
  },
  {
    spec: { resources: [{ repair: true, when: ["coupled"], template: {} }] },
    says: "repair needs created or updated in when",
    reason: "an object whose content is not known after an update",
  },
  {
    spec: { resultResources: [{ repair: true, do: "delete", template: {} }] },
    says: "repair needs do: apply",
    reason: "the repair of a deletion",
  },
  { spec: { vars: [{ name: "v" }] }, says: "objref", reason: "no object" },
  { spec: { configSecretName: "My_Secret" }, says: "spec.configSecretName", reason: "no name of an object" },
  { spec: { socket: { namespace: "prov" } }, says: "spec.socket.name", reason: "a socket without a name" },
  { spec: { socket: { name: "" } }, says: "spec.socket.name", reason: "an empty name" },
  { spec: { apparatus: { endpoint: "/x" } }, says: "an apparatus needs containers", reason: "a path, and no pod" },
  {
    spec: { apparatus: { containers: [], idleTimeout: 1 } },
    says: "an apparatus needs containers",
    reason: "nothing to call",
  },
  { spec: { apparatus: { endpoint: "http://a", idleTimeout: -1 } }, says: "idleTimeout", reason: "a negative time" },
];

const sockets: readonly Omit<Mistake, "kind">[] = [
  { spec: { limit: -1 }, says: "spec.limit", reason: "a negative limit" },
  { spec: { deletionPolicy: "Delete" }, says: "spec.deletionPolicy", reason: "no such policy" },
  {
    spec: { deletionPolicy: "Block", socketDeletionPolicy: "Decouple" },
    says: "must be equal",
    reason: "two spellings that differ",
  },
  { spec: { allowedPlugs: { namespaces: "Selector" } }, says: "selector is required", reason: "no selector" },
  {
    spec: { allowedPlugs: { namespaces: "Same", selector: {} } },
    says: "selector is required",
    reason: "a selector that is not used",
  },
  {
    spec: {
      allowedPlugs: { namespaces: "Selector", selector: { matchExpressions: [{ key: "a", operator: "In" }] } },
    },
    says: "In and NotIn need values",
    reason: "In without values",
  },
  {
    spec: { interface: { config: { plug: { a: { type: "enum" } } } } },
    says: "needs enum",
    reason: "an enum without values",
  },
  { spec: { interface: { config: { plug: { a: { type: "int" } } } } }, says: "type", reason: "no such type" },
  {
    spec: { interface: { config: { plug: { a: { requird: true } } } } },
    says: "requird",
    isUnknown: true,
    reason: "a typo",
  },
  { spec: { interface: { config: { plugs: {} } } }, says: "plugs", isUnknown: true, reason: "a typo" },
];

export const mistakes: readonly Mistake[] = [
  ...plugs.map((mistake) => Object.assign({ kind: "Plug" as const }, mistake)),
  ...sockets.map((mistake) => Object.assign({ kind: "Socket" as const }, mistake)),
];
