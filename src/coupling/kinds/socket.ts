import { z } from "zod";
import { defineKind, type ObjectOf, sized, validations } from "#crd";
import type { KubeObject } from "#kube";
import { LabelSelector } from "./label-selector.ts";
import { apiVersion, group, version } from "./names.ts";
import { sharedFields } from "./shared-spec.ts";
import { Conditions, Inventory, LastError, ObjectIdentity, phases } from "./shared-status.ts";

const propertyShape = {
  default: z.string().exactOptional().describe("The value where no source has one."),
  description: z.string().exactOptional().describe("What it is for."),
  required: z.boolean().exactOptional().describe("A source must have a value; a default does not count."),
  sensitive: z.boolean().exactOptional().describe("Never shown, whatever its source."),
  type: z
    .enum(["string", "integer", "boolean", "url", "enum", "json"])
    .exactOptional()
    .describe("The type of the text."),
  pattern: z.string().max(1_024).exactOptional().describe("An RE2 regular expression that the whole text must match."),
  enum: z.array(z.string()).min(1).max(1_000).exactOptional().describe("The allowed texts."),
  minLength: z.int32().min(0).exactOptional().describe("The least number of characters."),
};

const enumHasValues = {
  rule: "!has(self.type) || self.type != 'enum' || has(self.enum)",
  message: "a property of type enum needs enum, its values",
  fieldPath: ".enum",
  check: (property: { readonly type?: string; readonly enum?: unknown }) =>
    property.type !== "enum" || property.enum !== undefined,
};

const Property = validations(z.object(propertyShape), [enumHasValues]);

const SocketConfigProperty = validations(
  z.object({
    ...propertyShape,
    plugVisible: z
      .boolean()
      .exactOptional()
      .describe(
        "If false, the value reaches only the resources, templates and apparatus of the socket, and nothing of the plug. Default: true.",
      ),
  }),
  [enumHasValues],
);
export type InterfaceProperty = z.infer<typeof SocketConfigProperty>;

/** `key:` without a value is null, and declares the key too. */
const Half = sized(z.record(z.string(), Property.nullable()), { max: 1_000 });
const SocketConfigHalf = sized(z.record(z.string(), SocketConfigProperty.nullable()), { max: 1_000 });
export type InterfaceHalf = z.infer<typeof SocketConfigHalf>;

const plugHalf = Half.exactOptional().describe(
  "The plug's keys; other keys are dropped. If absent, every key is allowed.",
);
const socketKeys = "The socket's keys; other keys are dropped. If absent, every key is allowed.";

const Interface = z.object({
  name: z
    .string()
    .max(253)
    .exactOptional()
    .describe("The name of the interface, such as `postgres`; a plug that names another one is refused."),
  config: z
    .object({ plug: plugHalf, socket: SocketConfigHalf.exactOptional().describe(socketKeys) })
    .exactOptional()
    .describe("The keys of the configs."),
  result: z
    .object({ plug: plugHalf, socket: Half.exactOptional().describe(socketKeys) })
    .exactOptional()
    .describe("The keys of the results."),
});

const expressions = z.array(z.string().max(1_024)).max(1_000);

const AllowedPlugs = validations(
  z.object({
    namespaces: z
      .enum(["Same", "All", "Selector"])
      .exactOptional()
      .describe("Whose plugs: of the socket's own namespace, of all, or of those that `selector` picks by labels."),
    selector: LabelSelector.exactOptional().describe("The namespaces' labels; `{}` picks all."),
    serviceAccounts: z
      .array(z.string().min(1).max(317))
      .max(1_000)
      .exactOptional()
      .describe("The plugs' service accounts, as `name` of any admitted namespace or as `namespace/name`."),
  }),
  [
    {
      rule: "has(self.selector) == (has(self.namespaces) && self.namespaces == 'Selector')",
      message: "selector is required with namespaces: Selector, and allowed only there",
      fieldPath: ".selector",
      check: ({ namespaces, selector }) => (selector !== undefined) === (namespaces === "Selector"),
    },
  ],
);
type AllowedPlugs = z.infer<typeof AllowedPlugs>;

const DeletionPolicy = z.enum(["Decouple", "Block", "DeletePlugs"]);
export type DeletionPolicy = z.infer<typeof DeletionPolicy>;

const SocketSpec = validations(
  z.object({
    interface: Interface.exactOptional().describe("The keys that plug and socket must provide."),
    limit: z.int32().min(0).exactOptional().describe("How many plugs may be coupled at once; 0 means no limit."),
    validation: z
      .object({
        namespaceWhitelist: expressions
          .exactOptional()
          .describe(
            "RE2 regular expressions; the plug's whole namespace must match one of them. An empty list allows all.",
          ),
        namespaceBlacklist: expressions
          .exactOptional()
          .describe("RE2 regular expressions; the plug's whole namespace must match none of them."),
      })
      .exactOptional()
      .describe("Which namespaces may couple."),
    allowedPlugs: AllowedPlugs.exactOptional().describe("Further conditions on plugs."),
    deletionPolicy: DeletionPolicy.exactOptional().describe(
      "What deleting the socket does to the plugs coupled to it: they are decoupled and stay, the deletion waits for them to leave, or they are deleted. Default: `Decouple`.",
    ),
    socketDeletionPolicy: DeletionPolicy.exactOptional().describe("Another spelling of `deletionPolicy`."),
    ...sharedFields,
  }),
  [
    {
      rule: "!has(self.deletionPolicy) || !has(self.socketDeletionPolicy) || self.deletionPolicy == self.socketDeletionPolicy",
      message: "deletionPolicy and socketDeletionPolicy must be equal if both are set",
      fieldPath: ".deletionPolicy",
      check: ({ deletionPolicy, socketDeletionPolicy }) =>
        deletionPolicy === undefined || deletionPolicy === (socketDeletionPolicy ?? deletionPolicy),
    },
  ],
);

const SocketStatus = z.object({
  conditions: Conditions.exactOptional().describe("The conditions."),
  observedGeneration: z.int().exactOptional().describe("The generation of the socket that the status describes."),
  phase: z.enum(phases).exactOptional().describe("A summary of the conditions."),
  coupledPlugs: z.array(ObjectIdentity).exactOptional().describe("The plugs that are coupled."),
  coupledPlugsCount: z.int().min(0).exactOptional().describe("How many plugs are coupled."),
  inventory: Inventory.exactOptional().describe("The objects that the stage `created` made."),
  lastError: LastError.exactOptional().describe("The last failure, while it lasts."),
});

/** What an application offers to applications that connect to it. */
export const Socket = defineKind({
  group,
  version,
  kind: "Socket",
  shortNames: ["sck"],
  categories: ["integration"],
  scope: "Namespaced",
  description: "What an application offers to applications that connect to it.",
  spec: SocketSpec.describe("Which plugs may couple, and what the socket contributes."),
  status: SocketStatus.describe("The coupled plugs; written by Tenon."),
  rules: [
    {
      rule: "self.metadata.name.size() <= 200",
      message: "expected a name of at most 200 characters, because Secrets are named after it",
    },
  ],
  printerColumns: [
    { name: "Plugs", type: "integer", jsonPath: ".status.coupledPlugsCount" },
    { name: "Coupled", type: "string", jsonPath: '.status.conditions[?(@.type=="Coupled")].status' },
    { name: "Reason", type: "string", jsonPath: '.status.conditions[?(@.type=="Coupled")].reason' },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
    { name: "Message", type: "string", jsonPath: '.status.conditions[?(@.type=="Coupled")].message' },
    { name: "Failure", type: "string", jsonPath: '.status.conditions[?(@.type=="Failed")].message' },
  ],
  examples: [
    {
      title: "A database for other applications",
      object: {
        apiVersion,
        kind: "Socket",
        metadata: { name: "postgres", namespace: "database" },
        spec: {
          interface: {
            name: "postgres",
            config: { plug: { database: { required: true, pattern: "[a-z_]{1,63}" } } },
          },
          config: { hostname: "postgres.database.svc", port: "5432" },
          configSecretName: "postgres-credentials",
          allowedPlugs: { namespaces: "Selector", selector: { matchLabels: { "example.com/databases": "yes" } } },
          limit: 20,
        },
      },
    },
  ],
});
export type Socket = ObjectOf<typeof Socket>;

const parsed = new WeakMap<KubeObject, Socket>();

/** `Socket.parse`, once for each version of a socket: each of its plugs reads it, and it lists all of them. */
export function parseSocket(object: KubeObject): Socket {
  const known = parsed.get(object);
  if (known) return known;
  const socket = Socket.parse(object);
  parsed.set(object, socket);
  return socket;
}
