import { z } from "zod";
import { defineKind, dnsLabel, dnsName, duration, listMap, type ObjectOf, validations } from "#crd";
import { KstatusCondition } from "./kstatus-condition.ts";

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

const PlanSource = z.object({
  name: dnsLabel().describe("The ReleasePlan, in the namespace of the Propagation."),
  tag: tagName.exactOptional().describe("The tag that its Releases move. Default: `released`."),
});

const SourceFields = z.object({
  images: listMap(z.array(AdvertisedSource).min(1).max(200), ["repository", "tag"])
    .exactOptional()
    .describe("The tags to follow. All images that differ are proposed together, because they were tested together."),
  releasePlan: PlanSource.exactOptional().describe(
    "Instead of `images`: what the Releases of a plan have released. Each Release that succeeds is followed at once.",
  ),
  credentials: dnsName()
    .exactOptional()
    .describe("A Secret of type `kubernetes.io/dockerconfigjson`, for registries that need one."),
  interval: duration().exactOptional().describe("How often the tags are asked for, with one HEAD each. Default: `5m`."),
});

const Source = validations(SourceFields, [
  {
    rule: "has(self.images) != has(self.releasePlan)",
    message: "expected either images or releasePlan",
    check: ({ images, releasePlan }) => (images === undefined) !== (releasePlan === undefined),
  },
]);

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
      "A Secret with `token`; for an App of GitHub `app-id`, `installation-id` and `private-key`; with `plain` also `username`, or `ssh-privatekey` and `known_hosts`.",
    ),
  certificateAuthority: dnsName().exactOptional().describe("A ConfigMap with `ca.crt`, for a forge with its own CA."),
  labels: z.array(z.string().min(1).max(50)).max(20).exactOptional().describe("Labels of the pull request."),
  autoMerge: z
    .enum(["merge", "squash", "rebase"])
    .exactOptional()
    .describe("Ask the forge to merge when its own rules allow it. Without it, a person merges."),
  commitToBase: z
    .boolean()
    .exactOptional()
    .describe("Only with `plain`: commit to the base branch itself, without a proposal."),
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

const HealthObject = z.object({
  apiVersion: z.string().min(1).max(317).describe("Its API version."),
  kind: z
    .string()
    .min(1)
    .max(63)
    .describe("Its kind: Argo CD's Application, Flux's Kustomization or HelmRelease, a workload, or any with kstatus."),
  name: dnsName().describe("Its name."),
  namespace: dnsLabel().exactOptional().describe("Its namespace; default: that of the Propagation."),
});
export type HealthObject = z.infer<typeof HealthObject>;

const After = z.object({
  stage: dnsLabel().describe("The stage that must have merged these digests, and be healthy if it has `health`."),
  soak: duration().exactOptional().describe("How long it must have been so, such as `30m`."),
});

const digest = z.string().regex(/^sha256:[0-9a-f]{64}$/, "expected a digest such as sha256:0123...");

const Time = z.string().max(40);

const RollbackImage = z.object({
  image: z.string().min(1).max(400).describe("The image, as `repository:tag`."),
  from: digest.describe("The digest not to propose any more. Another one ends the rollback of this image."),
  to: digest.describe("The digest to propose instead."),
});
export type RollbackImage = z.infer<typeof RollbackImage>;

const Rollback = z.object({
  at: Time.exactOptional().describe("When it was asked for. Another time begins a rollback anew that has ended."),
  images: listMap(z.array(RollbackImage).min(1).max(200), ["image"]).describe("The images that go back."),
});

const Stage = z.object({
  name: dnsLabel().describe("The stage's name, such as `production`."),
  repository: z
    .string()
    .min(1)
    .max(2_048)
    .regex(/^(?:[a-z+]+:\/\/)?(?:[\w.-]+@)?[^@\s]+$/, "expected an address without a password")
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
  perComponent: z
    .boolean()
    .exactOptional()
    .describe("One pull request for each component, instead of one for all images."),
  rebase: z
    .enum(["WhenNeeded", "Always"])
    .exactOptional()
    .describe("Follow the base branch on conflicts, or with each commit. Default: `WhenNeeded`."),
  branchPrefix: gitRef.exactOptional().describe("The beginning of the branch's name. Default: `promotion/`."),
  maxOpen: z.int32().min(1).exactOptional().describe("How many pull requests of that prefix may be open. Default: 10."),
  minInterval: duration()
    .exactOptional()
    .describe("How long after a push the next one waits, such as `1h`. Default: not at all."),
  health: z
    .array(HealthObject)
    .max(20)
    .exactOptional()
    .describe("Objects that say whether this stage runs what it has merged, and is healthy."),
  rollback: Rollback.exactOptional().describe("Written by `tenon promote rollback`; a newer release ends it."),
  after: After.exactOptional().describe("What must have happened before anything is proposed here."),
});
export type PropagationStage = z.infer<typeof Stage>;

const Spec = validations(
  z.object({
    source: Source.describe("What is followed."),
    stages: listMap(z.array(Stage).min(1).max(20), ["name"]).describe("Where it is proposed, and in which order."),
    identity: Identity.exactOptional().describe("Whose commits they are."),
    serviceAccountName: dnsName()
      .exactOptional()
      .describe("The service account that reads the Secrets and the health of objects; default: `default`."),
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
    {
      rule: "self.stages.all(s, !has(s.forge.commitToBase) || s.forge.kind == 'plain')",
      message: "forge.commitToBase is only for the kind plain",
      fieldPath: ".stages",
      check: ({ stages }) => stages.every(({ forge }) => forge.commitToBase === undefined || forge.kind === "plain"),
    },
  ],
);

const Digests = z.record(z.string(), z.string().max(200)).describe("Digests by `repository:tag`.");

export const proposalStates = [
  "UpToDate",
  "Proposed",
  "ProposedElsewhere",
  "Declined",
  "Waiting",
  "Limited",
  "Held",
  "Manual",
  "Failed",
] as const;
export type ProposalState = (typeof proposalStates)[number];

const ProposalStatus = z.object({
  branch: z.string().describe("Our branch."),
  state: z.enum(proposalStates).describe("What became of it."),
  message: z.string().exactOptional().describe("Why, and what happens next."),
  pullRequest: z
    .object({
      number: z.int().describe("Its number."),
      url: z.string().describe("Its page."),
      state: z.enum(["open", "closed", "merged"]).describe("Its state when it was last looked at."),
    })
    .exactOptional()
    .describe("The newest pull request from this branch."),
  digests: Digests.exactOptional().describe("What our last commit sets."),
  base: z.string().exactOptional().describe("The commit that it was made on."),
  heads: z.array(z.string()).max(100).describe("Commits that we gave the branch, newest last."),
  finished: z.string().exactOptional().describe("The head whose pull request has its text and labels."),
  pushedAt: Time.exactOptional().describe("When we last pushed."),
  superseded: z.array(Digests).max(100).exactOptional().describe("What the open pull request proposed before."),
  declined: z.array(Digests).max(100).exactOptional().describe("What was closed without a merge."),
  closed: z.int().exactOptional().describe("The pull request that we closed ourselves."),
  unmerged: z.string().exactOptional().describe("Why the forge does not merge it by itself, although it should."),
  takenOver: z.string().exactOptional().describe("The foreign head of our branch that we have commented on."),
});
export type ProposalStatus = z.infer<typeof ProposalStatus>;

const Recorded = z.object({
  digests: Digests,
  commit: z.string().exactOptional().describe("The commit that brought them."),
  since: Time.describe("Since when."),
  rolledBack: z.boolean().exactOptional().describe("They were rolled back, so that no later rollback goes to them."),
});
export type RecordedDigests = z.infer<typeof Recorded>;

const StageStatus = z.object({
  name: z.string().describe("The stage."),
  state: z.enum(proposalStates).describe("The state that most needs a look."),
  message: z.string().exactOptional().describe("Why, and what happens next."),
  since: Time.describe("Since when it has this state."),
  target: Recorded.exactOptional().describe("What the stage should have."),
  merged: Recorded.exactOptional().describe("What its base branch has."),
  running: Recorded.exactOptional().describe("What its `health` objects run."),
  health: z
    .object({
      state: z.enum(["Healthy", "Progressing", "Red", "Unknown"]).describe("The worst of its objects."),
      message: z.string().exactOptional().describe("What is wrong."),
      since: Time.describe("Since when."),
    })
    .exactOptional()
    .describe("What its `health` objects say."),
  rollback: z
    .object({
      at: Time.exactOptional().describe("The time in `spec`, which distinguishes one rollback from the next."),
      images: listMap(
        z
          .array(RollbackImage.extend({ ended: Time.exactOptional().describe("When a newer digest ended it.") }))
          .max(200),
        ["image"],
      ).describe("The images of the rollback in `spec`."),
    })
    .exactOptional()
    .describe("What became of the rollback in `spec`."),
  history: z.array(Recorded).max(100).exactOptional().describe("What its base branch had before, newest first."),
  proposals: listMap(z.array(ProposalStatus).max(200), ["branch"]).describe("One, or one for each component."),
});
export type StageStatus = z.infer<typeof StageStatus>;

const Status = z.object({
  observedGeneration: z.int().exactOptional().describe("The generation that the status describes."),
  conditions: listMap(z.array(KstatusCondition), ["type"])
    .exactOptional()
    .describe("`Ready` says that Tenon has done what it can; a pull request may wait for a person."),
  advertised: Recorded.exactOptional().describe("What the tags have."),
  stages: listMap(z.array(StageStatus).max(20), ["name"]).exactOptional().describe("Each stage, in its order."),
});

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
  status: Status.describe("What became of it; written by Tenon."),
  printerColumns: [
    { name: "Ready", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
    { name: "Stages", type: "string", jsonPath: ".status.stages[*].state" },
    { name: "Message", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].message', priority: 1 },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
  ],
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
              health: [
                { apiVersion: "argoproj.io/v1alpha1", kind: "Application", namespace: "argocd", name: "shop-stage" },
              ],
            },
            {
              name: "production",
              repository: "https://gitea.example/acme/gitops.git",
              branch: "main",
              paths: ["apps/production"],
              forge: { kind: "gitea", credentials: "gitea-token" },
              after: { stage: "stage", soak: "30m" },
            },
          ],
        },
      },
    },
  ],
});
export type Propagation = ObjectOf<typeof Propagation>;
