import { z } from "zod";
import { defineKind, type ObjectOf, validations } from "#crd";
import { upstreamGroup } from "./promotion-names.ts";
import { UpstreamConditions } from "./upstream-conditions.ts";

const version = "v1beta2";
const ownerName = z
  .string()
  .max(63)
  .regex(/^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/);

const ResolverParam = z.object({
  name: z.string().max(256).describe("The parameter, such as `url`."),
  value: z
    .string()
    .max(4_096)
    .regex(/^(?:[^ \t\r\n](?:[^]*[^ \t\r\n])?)?$/u, "expected no blank at the beginning or the end")
    .describe("Its value."),
});

interface ResolverReference {
  readonly resolver: string;
  readonly params: readonly z.infer<typeof ResolverParam>[];
}

function hasParam({ params }: ResolverReference, name: string): boolean {
  return params.some((param) => param.name === name);
}

function everyParam({ resolver, params }: ResolverReference, names: readonly string[], pattern: RegExp): boolean {
  return resolver !== "git" || params.every(({ name, value }) => !names.includes(name) || pattern.test(value));
}

const ResolverRef = validations(
  z.object({
    resolver: z
      .string()
      .max(256)
      .describe("`git`, `bundles`, `cluster` or another resolver of Tekton; `builtin` runs without Tekton."),
    params: z.array(ResolverParam).max(100).describe("What the resolver needs."),
    resourceKind: z
      .string()
      .max(63)
      .default("pipeline")
      .describe("`pipeline`, or `pipelinerun` if a whole PipelineRun is resolved."),
  }),
  [
    {
      rule: "self.resolver != 'git' || (self.params.exists(p, p.name == 'url') ? !self.params.exists(p, p.name in ['repo', 'org']) : ['repo', 'org'].all(n, self.params.exists(p, p.name == n)))",
      message: "the resolver git needs the param url, or both repo and org",
      fieldPath: ".params",
      check: (reference) => {
        if (reference.resolver !== "git") return true;
        const [url, repo, org] = ["url", "repo", "org"].map((name) => hasParam(reference, name));
        return url ? !repo && !org : repo === true && org === true;
      },
    },
    {
      rule: "self.resolver != 'git' || self.params.all(p, !(p.name in ['url', 'serverURL']) || (p.value.startsWith('https://') && isURL(p.value)))",
      message: "the params url and serverURL of the resolver git must be https:// URLs",
      fieldPath: ".params",
      check: (reference) => everyParam(reference, ["url", "serverURL"], /^https:\/\/\S+$/),
    },
    {
      rule: "self.resolver != 'git' || self.params.all(p, p.name != 'token' || p.value.matches('^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$'))",
      message: "the param token of the resolver git is the name of a Secret",
      fieldPath: ".params",
      check: (reference) => everyParam(reference, ["token"], /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/),
    },
  ],
);

const ScenarioSpec = validations(
  z.object({
    application: ownerName.exactOptional().describe("The Application whose Snapshots are tested."),
    componentGroup: ownerName.exactOptional().describe("The ComponentGroup, in place of an Application."),
    resolverRef: ResolverRef.describe("Where the pipeline is."),
    params: z
      .array(
        z.object({
          name: z.string().max(256).describe("The parameter."),
          value: z.string().exactOptional().describe("A text."),
          values: z.array(z.string()).exactOptional().describe("A list of texts, if there is no value."),
        }),
      )
      .max(100)
      .exactOptional()
      .describe("Parameters of the pipeline besides SNAPSHOT."),
    contexts: z
      .array(
        z.object({
          name: z
            .string()
            .describe(
              "`application`, `component`, `component_<name>`, `group`, `override`, `push`, `pull_request`; `disabled` runs only when asked for.",
            ),
          description: z.string().exactOptional().describe("Why, for people."),
        }),
      )
      .exactOptional()
      .describe("Which Snapshots are tested: those that any of these contexts matches; all if there are none."),
    dependents: z.array(z.string()).exactOptional().describe("Not used."),
  }),
  [
    {
      rule: "has(self.application) != has(self.componentGroup)",
      message: "expected either application or componentGroup",
      fieldPath: ".application",
      check: ({ application, componentGroup }) => (application === undefined) !== (componentGroup === undefined),
    },
    {
      rule: "!has(self.params) || self.params.all(p, p.name != 'SNAPSHOT')",
      message: "the param SNAPSHOT is the Snapshot itself",
      fieldPath: ".params",
      check: ({ params = [] }) => params.every(({ name }) => name !== "SNAPSHOT"),
    },
  ],
).describe("Which Snapshots are tested, and how.");

const ScenarioStatus = z
  .object({ conditions: UpstreamConditions.exactOptional() })
  .describe("Whether the scenario can run.");

const rules = [
  {
    rule: "self.metadata.name.size() <= 63 && self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')",
    message:
      "expected a name of at most 63 lower-case letters, digits and inner hyphens that starts with a letter, because test runs have it as a label",
  },
];

const printerColumns = [
  { name: "Application", type: "string", jsonPath: ".spec.application" },
  { name: "ComponentGroup", type: "string", jsonPath: ".spec.componentGroup" },
] as const;

/** A test that Snapshots of an Application must pass. */
export const IntegrationTestScenario = defineKind({
  group: upstreamGroup,
  version,
  kind: "IntegrationTestScenario",
  shortNames: ["its"],
  scope: "Namespaced",
  description: "A test that Snapshots of an Application must pass.",
  spec: ScenarioSpec,
  status: ScenarioStatus,
  rules,
  printerColumns,
  otherVersions: [{ version: "v1beta1", spec: ScenarioSpec, status: ScenarioStatus, rules, printerColumns }],
  examples: [
    {
      title: "An end-to-end test of pushed commits, by a pipeline in git",
      object: {
        apiVersion: `${upstreamGroup}/${version}`,
        kind: "IntegrationTestScenario",
        metadata: { name: "e2e", namespace: "shop" },
        spec: {
          application: "shop",
          contexts: [{ name: "push" }],
          resolverRef: {
            resolver: "git",
            params: [
              { name: "url", value: "https://git.example/acme/tests.git" },
              { name: "revision", value: "main" },
              { name: "pathInRepo", value: "pipelines/e2e.yaml" },
            ],
          },
        },
      },
    },
  ],
});
export type IntegrationTestScenario = ObjectOf<typeof IntegrationTestScenario>;
