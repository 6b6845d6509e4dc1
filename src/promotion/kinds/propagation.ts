import { z } from "zod";
import { defineKind, dnsLabel, dnsName, duration, httpUrl, listMap, type ObjectOf, validations } from "#crd";

export const tenonGroup = "tenon.dev";
const version = "v1alpha1";

const repositoryName = z
  .string()
  .min(1)
  .max(255)
  .regex(/^[a-z0-9][a-z0-9._:/[\]-]*$/, "expected a repository without a tag, such as quay.io/acme/web");
const tagName = z.string().regex(/^[a-zA-Z0-9_][a-zA-Z0-9._-]{0,127}$/, "expected a tag such as released");
const gitRef = z.string().min(1).max(255);

const AdvertisedSource = z.object({
  repository: repositoryName.describe("The image's repository, such as `quay.io/acme/web`, without a tag."),
  tag: tagName.describe("The tag that moves when an image is released, such as `released`."),
  component: dnsLabel().exactOptional().describe("What titles and tables call it; default: the end of the repository."),
});

const Source = z.object({
  images: listMap(z.array(AdvertisedSource).min(1).max(200), ["repository", "tag"]).describe(
    "The tags to follow. All images that differ are proposed together, because they were tested together.",
  ),
  credentials: dnsName()
    .exactOptional()
    .describe("A Secret of type `kubernetes.io/dockerconfigjson`, for registries that need one."),
  interval: duration().exactOptional().describe("How often the tags are asked for, with one HEAD each. Default: `5m`."),
});

const Identity = z.object({
  name: z.string().min(1).max(100).exactOptional().describe("The author of commits. Default: `Tenon`."),
  email: z.string().min(3).max(254).exactOptional().describe("Default: `tenon@localhost`."),
  signingKey: dnsName().exactOptional().describe("A Secret with `ssh-privatekey`, by which commits are signed."),
});

const ForgeSettings = z.object({
  kind: z
    .enum(["github", "gitlab", "gitea", "plain"])
    .describe("`gitea` is Forgejo too; `plain` is git without pull requests: the branch is pushed, and that is all."),
  credentials: dnsName()
    .exactOptional()
    .describe(
      "A Secret with `token`, and `username` where git needs one; for an App of GitHub `app-id`, `installation-id` and `private-key`; with `plain` also `ssh-privatekey` and `known_hosts`.",
    ),
  certificateAuthority: dnsName()
    .exactOptional()
    .describe("A Secret or ConfigMap with `ca.crt`, for a forge with its own."),
  labels: z.array(z.string().min(1).max(50)).max(20).exactOptional().describe("Labels of the pull request."),
  autoMerge: z
    .enum(["merge", "squash", "rebase"])
    .exactOptional()
    .describe("Ask the forge to merge when its own rules allow it. Without it, a person merges."),
});

const Pattern = z.object({
  regexp: z
    .string()
    .min(1)
    .max(1_024)
    .describe(
      "An RE2 regular expression with a group `currentDigest`; groups `depName` and `currentValue` may name repository and tag.",
    ),
  repository: repositoryName.exactOptional().describe("The image that it is about, if it has no group `depName`."),
});

const HealthyObject = z.object({
  apiVersion: z.string().min(1).max(317).describe("Its API version."),
  kind: z
    .string()
    .min(1)
    .max(63)
    .describe("Its kind: Argo CD's Application, Flux's Kustomization, or any with a `Ready` condition."),
  name: dnsName().describe("Its name."),
  namespace: dnsLabel().exactOptional().describe("Its namespace; default: that of the Propagation."),
});

const After = z.object({
  stage: dnsLabel().describe("The stage that must have merged the same digests first."),
  healthy: z
    .array(HealthyObject)
    .max(20)
    .exactOptional()
    .describe("Objects that must be up to date and healthy since that merge."),
  soak: duration().exactOptional().describe("How long they must have been so, such as `30m`."),
});

const Stage = z.object({
  name: dnsLabel().describe("The stage's name, such as `production`."),
  repository: z
    .union([httpUrl(), z.string().min(1).max(2_048)])
    .describe("The address of the GitOps repository, for git."),
  branch: gitRef.describe("The base branch, into which the change is proposed."),
  paths: z
    .array(z.string().min(1).max(1_024))
    .max(100)
    .exactOptional()
    .describe("Only files below these directories, or these files. Default: all."),
  forge: ForgeSettings.describe("Where pull requests are."),
  registryAliases: z
    .record(z.string(), z.string().max(255))
    .exactOptional()
    .describe("Other names that references use, such as a mirror, with the name they stand for."),
  patterns: z.array(Pattern).max(20).exactOptional().describe("How references are found in files that are not YAML."),
  perComponent: z.boolean().exactOptional().describe("One pull request for each image, instead of one for all."),
  rebase: z
    .enum(["WhenNeeded", "Always"])
    .exactOptional()
    .describe("Follow the base branch on conflicts, or with each commit. Default: `WhenNeeded`."),
  branchPrefix: gitRef.exactOptional().describe("The beginning of the branch's name. Default: `promotion/`."),
  maxOpen: z.int32().min(1).exactOptional().describe("How many pull requests of that prefix may be open. Default: 10."),
  after: After.exactOptional().describe("What must have happened before anything is proposed here."),
});
export type PropagationStage = z.infer<typeof Stage>;

const Spec = validations(
  z.object({
    source: Source.describe("What is followed."),
    stages: listMap(z.array(Stage).min(1).max(20), ["name"]).describe("Where it is proposed, and in which order."),
    identity: Identity.exactOptional().describe("Whose commits they are."),
    suspend: z
      .object({ reason: z.string().min(1).max(1_024).describe("Why, for all who look.") })
      .exactOptional()
      .describe("Propose nothing until this is removed; open pull requests stay as they are."),
  }),
  [
    {
      rule: "self.stages.all(s, !has(s.after) || self.stages.exists(o, o.name == s.after.stage && o.name != s.name))",
      message: "after.stage must name another stage of this list",
      fieldPath: ".stages",
      check: ({ stages }) =>
        stages.every(
          ({ name, after }) => !after || stages.some((other) => other.name === after.stage && other.name !== name),
        ),
    },
  ],
);

/** An image tag that moves, and the GitOps repositories that learn of it by pull requests. */
export const Propagation = defineKind({
  group: tenonGroup,
  version,
  kind: "Propagation",
  shortNames: ["prop"],
  scope: "Namespaced",
  description:
    "Follows image tags, and proposes their digests to GitOps repositories as pull requests, stage by stage.",
  spec: Spec.describe("What is followed, and where it is proposed."),
  examples: [
    {
      title: "Two stages, the second after the first is healthy for half an hour",
      object: {
        apiVersion: `${tenonGroup}/${version}`,
        kind: "Propagation",
        metadata: { name: "shop", namespace: "shop" },
        spec: {
          source: { images: [{ repository: "quay.io/acme/web", tag: "released" }] },
          stages: [
            {
              name: "stage",
              repository: "https://gitea.example/acme/gitops.git",
              branch: "main",
              paths: ["apps/stage"],
              forge: { kind: "gitea", credentials: "gitea-token", autoMerge: "squash" },
            },
            {
              name: "production",
              repository: "https://gitea.example/acme/gitops.git",
              branch: "main",
              paths: ["apps/production"],
              forge: { kind: "gitea", credentials: "gitea-token" },
              after: {
                stage: "stage",
                healthy: [{ apiVersion: "argoproj.io/v1alpha1", kind: "Application", name: "shop-stage" }],
                soak: "30m",
              },
            },
          ],
        },
      },
    },
  ],
});
export type Propagation = ObjectOf<typeof Propagation>;
