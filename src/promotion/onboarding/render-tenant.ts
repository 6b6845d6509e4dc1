import { type JsonObject, packageFile } from "#base";
import { isKubeObject, type KubeObject } from "#kube";
import { loadChart, renderChart } from "#template";
import { onboardingName } from "./default-plan.ts";

/** What a person says about a team. */
export interface TenantSettings {
  readonly namespace: string;
  /** Without one, the namespace asks for a plan for each Application that appears. */
  readonly application?: string | undefined;
  readonly plan?: string | undefined;
  readonly tags: readonly string[];
  readonly pipeline: "builtin" | "tekton";
  /** The image of Tenon that Pipelines and tasks run; default: that of the chart. */
  readonly taskImage?: string | undefined;
  /** Registries without TLS, for that image. */
  readonly plainHttp?: readonly string[];
  readonly autoRelease: boolean;
  /** As a label has it. */
  readonly author: string;
  /** Secrets of registries that the service account of pipelines may read. */
  readonly registrySecrets: readonly string[];
  /** Whether there are tasks that make and remove environments for tests. */
  readonly environmentTasks: boolean;
  readonly gitops?: GitopsSettings | undefined;
}

export interface GitopsSettings {
  readonly repository: string;
  readonly branch: string;
  readonly paths: readonly string[];
  readonly stage: string;
  readonly forge: { readonly kind: string; readonly credentials?: string | undefined };
  readonly images: readonly { readonly repository: string; readonly component?: string }[];
}

/** The objects of `charts/tenant` for a team, in the order in which they are applied. */
export function renderTenant(settings: TenantSettings): readonly KubeObject[] {
  const { namespace, application = "", plan = "", tags, pipeline, autoRelease, author, registrySecrets } = settings;
  const values: JsonObject = {
    namespace: { create: true },
    application: { name: application },
    releasePlan: { name: plan, tags, pipeline, autoRelease, author },
    pushToRegistry: { image: settings.taskImage ?? "", plainHttp: settings.plainHttp ?? [] },
    environments: { tasks: settings.environmentTasks, image: settings.taskImage ?? "" },
    serviceAccounts: { pipeline: { registrySecrets } },
    ...(settings.gitops ? { gitops: gitopsValues(settings.gitops) } : {}),
  };
  const release = { name: onboardingName, namespace };
  const { manifests } = renderChart(loadChart(packageFile("charts", "tenant")), { values, release });
  return manifests.flatMap(({ object }) => (isKubeObject(object) ? [object] : []));
}

function gitopsValues({ forge, images, ...rest }: GitopsSettings): JsonObject {
  const { kind, credentials = "" } = forge;
  return { ...rest, forge: { kind, credentials }, images: images.map((image) => ({ ...image })) };
}
