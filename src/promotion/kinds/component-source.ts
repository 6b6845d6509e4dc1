import { z } from "zod";

const PipelineDefinition = z
  .object({
    "pipelineref-by-git-resolver": z
      .object({
        url: z.string().describe("The repository."),
        revision: z.string().describe("A branch, tag or commit."),
        pathInRepo: z.string().describe("The file."),
      })
      .nullable()
      .exactOptional()
      .describe("A pipeline in git."),
    "pipelineref-by-name": z.string().exactOptional().describe("A pipeline in `.tekton` of the repository."),
    "pipelinespec-from-bundle": z
      .object({
        bundle: z.string().describe("The bundle's image, or `latest`."),
        name: z.string().describe("The pipeline in it."),
      })
      .nullable()
      .exactOptional()
      .describe("A pipeline in a bundle."),
  })
  .nullable();

/** Which pipeline builds a component; Konflux's build-service reads it, Tenon does not. */
export const BuildPipeline = z
  .object({
    "pull-and-push": PipelineDefinition.exactOptional().describe("For pull requests and pushes."),
    pull: PipelineDefinition.exactOptional().describe("For pull requests."),
    push: PipelineDefinition.exactOptional().describe("For pushes."),
  })
  .nullable();

const GitSource = z.object({
  url: z.string().describe("The repository."),
  revision: z.string().exactOptional().describe("A branch, tag or commit; in a Snapshot, the commit that was built."),
  context: z.string().exactOptional().describe("The directory of the component."),
  devfileUrl: z.string().exactOptional().describe("Not used."),
  dockerfileUrl: z.string().exactOptional().describe("The Dockerfile."),
});
export type GitSource = z.infer<typeof GitSource>;

const SourceVersion = z.object({
  name: z.string().describe("The version's name."),
  revision: z.string().describe("A branch, tag or commit."),
  context: z.string().exactOptional().describe("The directory of the component."),
  dockerfileUri: z.string().exactOptional().describe("The Dockerfile."),
  "skip-builds": z.boolean().exactOptional().describe("Not built."),
  "build-pipeline": BuildPipeline.exactOptional().describe("Which pipeline builds it."),
});

/** Where a component's code is. */
export const ComponentSource = z.object({
  git: GitSource.exactOptional().describe("The repository, in the model of Applications."),
  url: z.string().exactOptional().describe("The repository, in the model of ComponentGroups."),
  dockerfileUri: z.string().exactOptional().describe("The Dockerfile, in the model of ComponentGroups."),
  versions: z.array(SourceVersion).exactOptional().describe("The versions, in the model of ComponentGroups."),
});
export type ComponentSource = z.infer<typeof ComponentSource>;
