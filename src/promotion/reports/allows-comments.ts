import { InputError, valueAt } from "#base";
import type { ForgeKind } from "#forge";
import type { KubeClient, KubeObject } from "#kube";
import { isSameRepository, type ReportTarget } from "./report-destination.ts";

/** Where the settings of a repository are for Pipelines-as-Code. */
const repositoryKind = { apiVersion: "pipelinesascode.tekton.dev/v1alpha1", kind: "Repository" } as const;

/** Its names of forges. */
const settingsOf: Readonly<Record<ForgeKind, readonly string[]>> = {
  github: ["github"],
  gitlab: ["gitlab"],
  gitea: ["gitea", "forgejo"],
};

/** Whether the pull requests of a repository may be commented on: neither its Component nor Pipelines-as-Code forbids it. */
export async function allowsComments(
  namespace: string,
  target: ReportTarget,
  client: Pick<KubeClient, "list">,
  signal: AbortSignal,
): Promise<boolean> {
  if (!target.allowsComments) return false;
  const own = (await listRepositories(namespace, client, signal)).filter((repository) =>
    isSameRepository(String(valueAt(repository, ["spec", "url"])), target.repository),
  );
  return own.every((repository) =>
    settingsOf[target.forge].every(
      (forge) => valueAt(repository, ["spec", "settings", forge, "comment_strategy"]) !== "disable_all",
    ),
  );
}

async function listRepositories(
  namespace: string,
  client: Pick<KubeClient, "list">,
  signal: AbortSignal,
): Promise<readonly KubeObject[]> {
  try {
    return (await client.list({ ...repositoryKind, namespace }, signal)).items;
  } catch (error) {
    if (error instanceof InputError) return []; // the cluster has no Pipelines-as-Code
    throw error;
  }
}
