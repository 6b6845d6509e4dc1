import { z } from "zod";
import { dnsName } from "#crd";
import { ComputeResources } from "./compute-resources.ts";

/** How long a run and its parts may take. */
export const PipelineTimeouts = z.object({
  pipeline: z.string().exactOptional().describe("The whole run, such as `2h`."),
  tasks: z.string().exactOptional().describe("The tasks before `finally`."),
  finally: z.string().exactOptional().describe("The tasks under `finally`."),
});

const PipelineParam = z.object({
  name: z.string().describe("The parameter."),
  value: z.string().describe("A text."),
});

const key = z.string().describe("The key.");
const optional = z.boolean().exactOptional().describe("It may be missing.");

const EnvironmentVariable = z.object({
  name: z.string().describe("The variable."),
  value: z.string().exactOptional().describe("Its value."),
  valueFrom: z
    .object({
      configMapKeyRef: z
        .object({ key, name: z.string().exactOptional().describe("The ConfigMap."), optional })
        .exactOptional()
        .describe("A key of a ConfigMap."),
      fieldRef: z
        .object({
          apiVersion: z.string().exactOptional().describe("The version."),
          fieldPath: z.string().describe("The field."),
        })
        .exactOptional()
        .describe("A field of the pod."),
      fileKeyRef: z
        .object({
          key,
          optional,
          path: z.string().describe("The file."),
          volumeName: z.string().describe("Its volume."),
        })
        .exactOptional()
        .describe("A key of a file in a volume."),
      resourceFieldRef: z
        .object({
          containerName: z.string().exactOptional().describe("The container."),
          divisor: z.union([z.int(), z.string()]).exactOptional().describe("The unit."),
          resource: z.string().describe("The resource."),
        })
        .exactOptional()
        .describe("A resource of a container."),
      secretKeyRef: z
        .object({ key, name: z.string().exactOptional().describe("The Secret."), optional })
        .exactOptional()
        .describe("A key of a Secret."),
    })
    .exactOptional()
    .describe("Where its value comes from."),
});

const PodTemplate = z.object({
  affinity: z.looseObject({}).exactOptional().describe("As in a PodSpec."),
  automountServiceAccountToken: z.boolean().exactOptional().describe("As in a PodSpec."),
  dnsConfig: z
    .object({
      nameservers: z.array(z.string()).exactOptional().describe("Addresses."),
      options: z
        .array(
          z.object({
            name: z.string().exactOptional().describe("The option."),
            value: z.string().exactOptional().describe("Its value."),
          }),
        )
        .exactOptional()
        .describe("Options."),
      searches: z.array(z.string()).exactOptional().describe("Search domains."),
    })
    .exactOptional()
    .describe("As in a PodSpec."),
  dnsPolicy: z.string().exactOptional().describe("As in a PodSpec."),
  enableServiceLinks: z.boolean().exactOptional().describe("As in a PodSpec."),
  env: z.array(EnvironmentVariable).exactOptional().describe("Variables of every step."),
  hostAliases: z
    .array(
      z.object({
        hostnames: z.array(z.string()).exactOptional().describe("Names."),
        ip: z.string().describe("Their address."),
      }),
    )
    .exactOptional()
    .describe("As in a PodSpec."),
  hostNetwork: z.boolean().exactOptional().describe("As in a PodSpec."),
  hostUsers: z.boolean().exactOptional().describe("As in a PodSpec."),
  imagePullSecrets: z
    .array(z.object({ name: z.string().exactOptional().describe("The Secret.") }))
    .exactOptional()
    .describe("As in a PodSpec."),
  nodeSelector: z.record(z.string(), z.string()).exactOptional().describe("As in a PodSpec."),
  priorityClassName: z.string().exactOptional().describe("As in a PodSpec."),
  runtimeClassName: z.string().exactOptional().describe("As in a PodSpec."),
  schedulerName: z.string().exactOptional().describe("As in a PodSpec."),
  securityContext: z.looseObject({}).exactOptional().describe("As in a PodSpec."),
  tolerations: z
    .array(
      z.object({
        effect: z.string().exactOptional().describe("The effect."),
        key: z.string().exactOptional().describe("The taint."),
        operator: z.string().exactOptional().describe("`Exists` or `Equal`."),
        tolerationSeconds: z.int().exactOptional().describe("For how long."),
        value: z.string().exactOptional().describe("The value of the taint."),
      }),
    )
    .exactOptional()
    .describe("As in a PodSpec."),
  topologySpreadConstraints: z
    .array(
      z.object({
        labelSelector: z
          .object({
            matchExpressions: z
              .array(
                z.object({
                  key: z.string().describe("The label."),
                  operator: z.string().describe("`In`, `NotIn`, `Exists` or `DoesNotExist`."),
                  values: z.array(z.string()).exactOptional().describe("Values of the label."),
                }),
              )
              .exactOptional()
              .describe("Conditions."),
            matchLabels: z.record(z.string(), z.string()).exactOptional().describe("Labels."),
          })
          .exactOptional()
          .describe("Which pods count."),
        matchLabelKeys: z.array(z.string()).exactOptional().describe("Labels that pods share."),
        maxSkew: z.int().describe("The largest difference."),
        minDomains: z.int().exactOptional().describe("The least number of domains."),
        nodeAffinityPolicy: z.string().exactOptional().describe("Whether affinity counts."),
        nodeTaintsPolicy: z.string().exactOptional().describe("Whether taints count."),
        topologyKey: z.string().describe("The label of nodes."),
        whenUnsatisfiable: z.string().describe("What to do otherwise."),
      }),
    )
    .exactOptional()
    .describe("As in a PodSpec."),
  volumes: z.array(z.looseObject({})).exactOptional().describe("As in a PodSpec."),
});

const ContainerResources = z.array(
  z.object({ name: z.string().describe("Its name."), computeResources: ComputeResources.describe("Its resources.") }),
);

const TaskRunSpec = z.object({
  pipelineTaskName: z.string().exactOptional().describe("The task of the pipeline."),
  serviceAccountName: z.string().exactOptional().describe("The service account of its pod."),
  podTemplate: PodTemplate.exactOptional().describe("Settings of its pod."),
  stepSpecs: ContainerResources.exactOptional().describe("Resources by step."),
  sidecarSpecs: ContainerResources.exactOptional().describe("Resources by sidecar."),
  metadata: z
    .object({
      annotations: z.record(z.string(), z.string()).exactOptional().describe("Annotations."),
      labels: z.record(z.string(), z.string()).exactOptional().describe("Labels."),
    })
    .exactOptional()
    .describe("Metadata of the TaskRun."),
  computeResources: ComputeResources.exactOptional().describe("Resources of the whole task."),
  timeout: z.string().exactOptional().describe("How long it may take."),
});

/** A pipeline that a release runs: of Tekton, or `builtin`. */
export const ReleasePipeline = z.object({
  pipelineRef: z
    .object({
      resolver: z
        .string()
        .describe(
          "`git`, `bundles`, or another resolver of Tekton; `builtin` with the param `name: retag` needs no Tekton.",
        ),
      params: z.array(PipelineParam).describe("What the resolver needs."),
      ociStorage: z.string().exactOptional().describe("A repository in which tasks exchange files."),
      useEmptyDir: z.boolean().exactOptional().describe("The workspace is an emptyDir instead of a claim."),
    })
    .describe("Where the pipeline is."),
  serviceAccountName: dnsName()
    .exactOptional()
    .describe("The service account of the run; also that whose credentials `builtin` uses."),
  taskRunSpecs: z.array(TaskRunSpec).exactOptional().describe("Settings by task."),
  timeouts: PipelineTimeouts.exactOptional().describe("How long it may take."),
  maxRetries: z.int().min(0).exactOptional().describe("How often a managed pipeline is repeated."),
});

export const ParameterizedReleasePipeline = ReleasePipeline.extend({
  params: z.array(PipelineParam).exactOptional().describe("Further parameters of the pipeline."),
});

/** Pipelines that collect facts before the release. */
export const ReleaseCollectors = z.object({
  items: z
    .array(
      z.object({
        name: dnsName().describe("Its name."),
        type: dnsName().describe("What it runs."),
        timeout: z.int().exactOptional().describe("In seconds."),
        params: z.array(PipelineParam).describe("Its parameters."),
      }),
    )
    .describe("The collectors."),
  secrets: z.array(z.string()).exactOptional().describe("Secrets that they may read."),
  serviceAccountName: dnsName().exactOptional().describe("The service account of their run."),
});
