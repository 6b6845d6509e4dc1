import { z } from "zod";
import { atomicMap, defineKind, type ObjectOf, quantity } from "#crd";
import { BuildPipeline, ComponentSource } from "./component-source.ts";
import { upstreamGroup } from "./promotion-names.ts";
import { UpstreamConditions } from "./upstream-conditions.ts";

const version = "v1alpha1";
const labelOrEmpty = /^(?:[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)?$/;
const ignored = "Accepted and ignored: Tenon deploys nothing by itself.";

const KeyReference = atomicMap(
  z.object({
    key: z.string().describe("The key."),
    name: z.string().exactOptional().describe("The object's name."),
    optional: z.boolean().exactOptional().describe("It may be absent."),
  }),
);

const EnvironmentVariable = z.object({
  name: z.string().describe("The variable."),
  value: z.string().exactOptional().describe("Its value."),
  valueFrom: z
    .object({
      configMapKeyRef: KeyReference.exactOptional().describe("A key of a ConfigMap."),
      secretKeyRef: KeyReference.exactOptional().describe("A key of a Secret."),
      fieldRef: atomicMap(
        z.object({
          fieldPath: z.string().describe("The field."),
          apiVersion: z.string().exactOptional().describe("Its version."),
        }),
      )
        .exactOptional()
        .describe("A field of the pod."),
      resourceFieldRef: atomicMap(
        z.object({
          resource: z.string().describe("The resource."),
          containerName: z.string().exactOptional().describe("The container."),
          divisor: quantity().exactOptional().describe("The unit."),
        }),
      )
        .exactOptional()
        .describe("A resource of a container."),
    })
    .exactOptional()
    .describe("Where its value comes from."),
});

const RepositorySettings = z
  .object({
    "comment-strategy": z.string().exactOptional().describe("`disable_all`: no comments on pull requests."),
    "github-app-token-scope-repos": z
      .array(z.string())
      .exactOptional()
      .describe("Repositories that the token of the App may read."),
  })
  .describe("Settings of the repository.");

const ComponentSpec = z.object({
  componentName: z.string().max(63).regex(labelOrEmpty).exactOptional().describe("The same as the object's name."),
  application: z.string().regex(labelOrEmpty).exactOptional().describe("The Application that it is part of."),
  source: ComponentSource.describe("Where its code is."),
  containerImage: z.string().exactOptional().describe("The repository of its images, without a tag."),
  "build-nudges-ref": z.array(z.string()).exactOptional().describe("Not used."),
  secret: z.string().exactOptional().describe("Not used."),
  resources: z
    .object({
      limits: z.record(z.string(), quantity()).exactOptional().describe(ignored),
      requests: z.record(z.string(), quantity()).exactOptional().describe(ignored),
    })
    .exactOptional()
    .describe(ignored),
  replicas: z.int().exactOptional().describe(ignored),
  targetPort: z.int().exactOptional().describe(ignored),
  route: z.string().exactOptional().describe(ignored),
  env: z.array(EnvironmentVariable).exactOptional().describe(ignored),
  skipGitOpsResourceGeneration: z.boolean().exactOptional().describe(ignored),
  actions: z
    .object({
      "trigger-push-build": z.string().exactOptional().describe("Starts a build of this version."),
      "trigger-push-builds": z.array(z.string()).exactOptional().describe("Starts builds of these versions."),
      "create-pipeline-configuration-pr": z
        .object({
          "all-versions": z.boolean().exactOptional().describe("For all versions."),
          version: z.string().exactOptional().describe("For this version."),
          versions: z.array(z.string()).exactOptional().describe("For these versions."),
        })
        .exactOptional()
        .describe("Proposes the pipelines."),
    })
    .exactOptional()
    .describe("Requests to Konflux's build-service."),
  "repository-settings": RepositorySettings.exactOptional(),
  "default-build-pipeline": BuildPipeline.exactOptional().describe("Which pipeline builds it."),
  "skip-offboarding-pr": z.boolean().exactOptional().describe("Read by Konflux's build-service."),
});

const ComponentStatus = z.object({
  lastPromotedImage: z
    .string()
    .exactOptional()
    .describe("The image in the candidate list, by digest: what Snapshots of other components contain."),
  lastBuiltCommit: z.string().exactOptional().describe("The commit of that image."),
  conditions: UpstreamConditions.exactOptional(),
  message: z.string().exactOptional().describe("Written by Konflux's build-service."),
  "pac-repository": z.string().exactOptional().describe("Written by Konflux's build-service."),
  versions: z
    .array(
      z.object({
        name: z.string().exactOptional().describe("The version's name."),
        revision: z.string().exactOptional().describe("Its branch, tag or commit."),
        message: z.string().exactOptional().describe("What went wrong."),
        "configuration-merge-url": z.string().exactOptional().describe("The pull request with its pipelines."),
        "onboarding-status": z.string().exactOptional().describe("Whether it is set up."),
        "onboarding-time": z.string().exactOptional().describe("Since when."),
        "skip-builds": z.boolean().exactOptional().describe("Not built."),
      }),
    )
    .exactOptional()
    .describe("Written by Konflux's build-service."),
  "build-nudged-by": z.array(z.string()).exactOptional().describe("Written by Konflux's build-service."),
  "repository-settings": RepositorySettings.exactOptional(),
  webhook: z.string().exactOptional().describe("Not used."),
  devfile: z.string().exactOptional().describe("Not used."),
  gitops: z
    .object({
      repositoryURL: z.string().exactOptional().describe("Not used."),
      branch: z.string().exactOptional().describe("Not used."),
      context: z.string().exactOptional().describe("Not used."),
      commitID: z.string().exactOptional().describe("Not used."),
      resourceGenerationSkipped: z.boolean().exactOptional().describe("Not used."),
    })
    .exactOptional()
    .describe("Not used."),
});

/** A part of an Application that is built into one image. */
export const Component = defineKind({
  group: upstreamGroup,
  version,
  kind: "Component",
  shortNames: ["cmp", "comp"],
  scope: "Namespaced",
  description: "A part of an Application that is built into one image.",
  spec: ComponentSpec.describe("What it is part of, and where its code is."),
  status: ComponentStatus.describe("Its place in the candidate list."),
  printerColumns: [
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
    { name: "Status", type: "string", jsonPath: ".status.conditions[-1].status" },
    { name: "Reason", type: "string", jsonPath: ".status.conditions[-1].reason" },
    { name: "Type", type: "string", jsonPath: ".status.conditions[-1].type" },
  ],
  examples: [
    {
      title: "The web server of a shop",
      object: {
        apiVersion: `${upstreamGroup}/${version}`,
        kind: "Component",
        metadata: { name: "web", namespace: "shop" },
        spec: {
          componentName: "web",
          application: "shop",
          source: { git: { url: "https://git.example/acme/web" } },
          containerImage: "quay.io/acme/web",
        },
      },
    },
  ],
});
export type Component = ObjectOf<typeof Component>;
