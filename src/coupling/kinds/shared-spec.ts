import { z } from "zod";
import { validations } from "#crd";
import { type Stage, stageNames } from "./names.ts";

/** Charts render an unset value as an empty text; it counts as absent, as in integration-operator. */
export function nameOrEmpty() {
  return z
    .string()
    .max(253)
    .regex(
      /^(?:[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*)?$/,
      "expected the name of an object: lower-case letters, digits, inner hyphens and dots",
    );
}

const Texts = z.record(z.string(), z.string());

const actionShape = {
  do: z
    .enum(["apply", "delete", "recreate"])
    .exactOptional()
    .describe("What to do with the objects; default: `apply`. `recreate` deletes, waits, and applies."),
  template: z
    .looseObject({})
    .exactOptional()
    .describe("One object. Each of its strings is a template of its own, so that no value can change its structure."),
  templates: z.array(z.looseObject({})).max(1_000).exactOptional().describe("Several of them."),
  stringTemplate: z
    .string()
    .exactOptional()
    .describe("Text that renders to YAML: no document, one or several. Rendering to nothing is fine."),
  stringTemplates: z.array(z.string()).max(1_000).exactOptional().describe("Several of them."),
  retainWhenDecoupled: z.boolean().exactOptional().describe("Keeps the objects when the plug leaves."),
  preserveWhenDecoupled: z.boolean().exactOptional().describe("Another spelling of `retainWhenDecoupled`."),
  repair: z
    .boolean()
    .exactOptional()
    .describe(
      "Puts the objects back when others delete or change them; default: they stay as they are until the next update. The service account needs the rights to get and, for a repair within seconds, to watch them.",
    ),
  waitFor: z
    .enum(["Message", "Ready"])
    .exactOptional()
    .describe(
      "Follows the objects until they are ready, such as a Job until it has succeeded or a Deployment until its replicas are ready. What is not ready is in the message of `Coupled`; with `Ready`, the condition `Ready` is also False meanwhile. The service account needs the rights to get and watch them.",
    ),
};

const hasTemplate = {
  rule: "has(self.template) || has(self.templates) || has(self.stringTemplate) || has(self.stringTemplates)",
  message: "a resource needs template, templates, stringTemplate or stringTemplates",
  check: (action: Readonly<Record<string, unknown>>) =>
    ["template", "templates", "stringTemplate", "stringTemplates"].some((field) => action[field] !== undefined),
};

/** A recreated object, such as a Job, would run again whenever it is cleaned up. */
const repairsApplied = {
  rule: "!has(self.repair) || !self.repair || !has(self.do) || self.do == 'apply'",
  message: "repair needs do: apply, which is the default",
  check: ({ repair, do: action = "apply" }: { readonly repair?: boolean; readonly do?: string }) =>
    repair !== true || action === "apply",
};

const ResourceAction = validations(z.object(actionShape), [hasTemplate, repairsApplied]);
export type ResourceAction = z.infer<typeof ResourceAction>;

const StageResource = validations(
  z.object({
    ...actionShape,
    when: z
      .array(z.enum(stageNames))
      .min(1)
      .max(100)
      .exactOptional()
      .describe("The stages at which to do it; default: `coupled` and `updated`."),
  }),
  [
    hasTemplate,
    repairsApplied,
    {
      // Updates leave an object of `coupled` alone, so its content is not known later.
      rule: "!has(self.repair) || !self.repair || !has(self.when) || 'created' in self.when || 'updated' in self.when",
      message: "repair needs created or updated in when",
      check: ({ repair, when }) =>
        repair !== true || when === undefined || when.includes("created") || when.includes("updated"),
    },
  ],
);
export type StageResource = z.infer<typeof StageResource>;

const ObjectReference = validations(
  z.object({
    apiVersion: z.string().max(317).exactOptional().describe("Such as `apps/v1`."),
    group: z.string().max(253).exactOptional().describe("With `version`, another way to say `apiVersion`."),
    version: z.string().max(63).exactOptional().describe("By itself, a version of the core group."),
    kind: z.string().min(1).max(63).describe("Such as `Deployment`."),
    name: z.string().max(253).exactOptional().describe("The object's name."),
    namespace: z.string().max(253).exactOptional().describe("If given, the namespace of the plug or socket itself."),
    templateName: z.string().exactOptional().describe("A template for the name; sees `plug` and `socket`."),
    templateNamespace: z.string().exactOptional().describe("A template for the namespace; sees `plug` and `socket`."),
  }),
  [
    {
      rule: "has(self.name) || has(self.templateName)",
      message: "objref needs name or templateName",
      check: ({ name, templateName }) => name !== undefined || templateName !== undefined,
    },
    {
      rule: "has(self.apiVersion) || has(self.version)",
      message: "objref needs apiVersion, or version and, outside the core group, group",
      check: (reference) => reference.apiVersion !== undefined || reference.version !== undefined,
    },
  ],
);

const Var = z.object({
  name: z.string().min(1).max(253).describe("The key of the value. Of two with the same name, the last wins."),
  objref: ObjectReference.describe("The object to read, as the service account of the plug or socket."),
  fieldref: z
    .object({
      fieldPath: z
        .string()
        .max(1_024)
        .exactOptional()
        .describe(
          "Such as `spec.ports[0].port`, `spec.ports.0.port`, `spec.ports.#(name==web).port` or `metadata.annotations[a.b/c]`.",
        ),
    })
    .exactOptional()
    .describe("Which field to read; default: the name."),
});
export type Var = z.infer<typeof Var>;

const Apparatus = validations(
  z.looseObject({
    endpoint: z
      .string()
      .max(2_048)
      .exactOptional()
      .describe("A path below the apparatus pod, or the URL of a running service."),
    idleTimeout: z
      .int32()
      .min(0)
      .exactOptional()
      .describe("Seconds without a call after which the pod is stopped; default: 60."),
    containers: z
      .array(z.looseObject({ name: z.string().max(63) }))
      .max(100)
      .exactOptional()
      .describe("As in a pod. One of the ports must be named `container`."),
  }),
  [
    {
      rule: "(has(self.containers) && self.containers.size() > 0) || (has(self.endpoint) && self.endpoint != '' && !self.endpoint.startsWith('/'))",
      message: "an apparatus needs containers, unless its endpoint is the URL of a running service",
      check: ({ containers = [], endpoint = "" }) =>
        containers.length > 0 || (endpoint !== "" && !endpoint.startsWith("/")),
    },
  ],
);

/** What a Plug and a Socket have in common. */
export const sharedFields = {
  vars: z.array(Var).max(1_000).exactOptional().describe("Fields of other objects, read before the config."),
  resultVars: z.array(Var).max(1_000).exactOptional().describe("Fields of other objects, read before the result."),
  data: Texts.exactOptional().describe("Values for the config and result templates of both sides."),
  dataConfigMapName: nameOrEmpty().exactOptional().describe("A ConfigMap whose data wins over `data`."),
  dataSecretName: nameOrEmpty().exactOptional().describe("A Secret whose data yields to `data`."),
  config: Texts.exactOptional().describe("The config of this side."),
  configConfigMapName: nameOrEmpty()
    .exactOptional()
    .describe("A ConfigMap whose data wins over `config` and `configTemplate`."),
  configSecretName: nameOrEmpty().exactOptional().describe("A Secret whose data yields to all other sources."),
  configTemplate: Texts.exactOptional().describe(
    "Templates by key, which win over `config`; they see `plug`, `socket`, `plugData`, `socketData` and this side's `vars`.",
  ),
  result: Texts.exactOptional().describe("The result of this side, once the stage is done."),
  resultConfigMapName: nameOrEmpty()
    .exactOptional()
    .describe("A ConfigMap whose data wins over `result` and `resultTemplate`."),
  resultSecretName: nameOrEmpty()
    .exactOptional()
    .describe("A Secret whose data yields to all other sources but what the apparatus answers."),
  resultTemplate: Texts.exactOptional().describe(
    "Templates by key, which win over `result`; they see what `configTemplate` sees, `plugConfig`, `socketConfig` and this side's `resultVars`.",
  ),
  serviceAccountName: nameOrEmpty()
    .exactOptional()
    .describe("The service account that reads and writes everything; default: `default`."),
  apparatus: Apparatus.exactOptional().describe(
    "A pod that is called at each stage, and may answer with results. All fields of a PodSpec are allowed.",
  ),
  resources: z.array(StageResource).max(1_000).exactOptional().describe("Objects to create and delete, in this order."),
  resultResources: z
    .array(ResourceAction)
    .max(1_000)
    .exactOptional()
    .describe(
      "Objects to create once the results are known; their templates also see `plugResult`, `socketResult` and `result`.",
    ),
  epoch: z.string().exactOptional().describe("Any new text triggers an update."),
  suspend: z
    .boolean()
    .exactOptional()
    .describe("Runs no stage and keeps everything as it is, until it is false again."),
  suspendReason: z.string().max(1_024).exactOptional().describe("Why it is suspended; shown in the status."),
};

/** Of a reference that names its version in either way. */
export function apiVersionOf({
  apiVersion = "",
  group = "",
  version = "",
}: Pick<Var["objref"], "apiVersion" | "group" | "version">): string {
  if (apiVersion !== "") return apiVersion;
  return group === "" ? version : `${group}/${version}`;
}

/** Defaults are applied here and not by the API server, so that stored objects stay as they were written. */
export function actionOf(resource: ResourceAction): NonNullable<ResourceAction["do"]> {
  return resource.do ?? "apply";
}

export function stagesOf({ when = ["coupled", "updated"] }: StageResource): readonly Stage[] {
  return when;
}

/** Either spelling retains the objects. */
export function isRetained({ retainWhenDecoupled, preserveWhenDecoupled }: ResourceAction): boolean {
  return retainWhenDecoupled === true || preserveWhenDecoupled === true;
}
