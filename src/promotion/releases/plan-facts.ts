import { type Clock, isRecord } from "#base";
import { ApiError, type KubeClient, type KubeObject, type ObjectStore } from "#kube";
import { byApplication } from "../builds/build-reconciler.ts";
import { Application } from "../kinds/application.ts";
import { Component } from "../kinds/component.ts";
import { ReleasePlanAdmission } from "../kinds/release-plan-admission.ts";
import { findAuthorPolicies } from "../policies/find-author-policies.ts";
import { byTenant, indexByOwner } from "../promotion-sources.ts";
import { ownerIn } from "../scenarios/tested-snapshot.ts";
import { defaultAccount } from "./builtin-runner.ts";
import type { ExpiringImage, PipelineAccount, PlanFacts } from "./judge-plan.ts";
import { builtinName, readPipeline } from "./phase-pipeline.ts";
import type { FactsAroundPlan } from "./plan-reconciler.ts";

interface PlanFactStores {
  readonly applications: Pick<ObjectStore, "get">;
  /** Indexed by Application. */
  readonly components: Pick<ObjectStore, "byIndex">;
  /** ResourceQuotas, indexed by namespace. */
  readonly quotas: Pick<ObjectStore, "byIndex">;
  /** ServiceAccounts; their names suffice. */
  readonly accounts: Pick<ObjectStore, "get">;
  /** Undefined until the images of the plan were looked at. */
  readonly expiringOf: (plan: KubeObject) => readonly ExpiringImage[] | undefined;
}

/** What a controller knows around a plan, from its stores. */
export function planFactsOf(stores: PlanFactStores): FactsAroundPlan {
  const { applications, components, quotas, accounts, expiringOf } = stores;
  return (plan) => {
    const { namespace = "" } = plan.metadata;
    const owner = ownerIn(plan["spec"]);
    const application = owner?.kind === "Application" ? owner.name : undefined;
    return {
      ...(application === undefined
        ? {}
        : {
            hasOwner: applications.get(`${namespace}/${application}`) !== undefined,
            components: components.byIndex(byApplication, `${namespace}/${application}`).map(nameOf),
          }),
      quotas: quotas.byIndex(byTenant, namespace),
      missingAccounts: accountsOf(plan).filter(({ name }) => !accounts.get(`${namespace}/${name}`)),
      expiring: expiringOf(plan),
    };
  };
}

/** The same from the API server, with the rights of a user; what the user may not read is not judged. */
export function planFactsReader(client: KubeClient, clock: Clock) {
  const holdsAuthors = findAuthorPolicies(client, clock);
  return async (plan: KubeObject, signal: AbortSignal): Promise<PlanFacts> => ({
    ...(await readPlanFacts(plan, client, signal)),
    holdsAuthors: await ifAllowed(() => holdsAuthors(signal)),
  });
}

async function readPlanFacts(plan: KubeObject, client: KubeClient, signal: AbortSignal): Promise<PlanFacts> {
  const { namespace } = plan.metadata;
  const spec = isRecord(plan["spec"]) ? plan["spec"] : {};
  const owner = ownerIn(spec);
  const application = owner?.kind === "Application" ? owner.name : undefined;
  const target = typeof spec["target"] === "string" ? spec["target"] : undefined;
  const list = async ({ apiVersion, kind }: { apiVersion: string; kind: string }, inNamespace: string | undefined) =>
    await ifAllowed(async () => (await client.list({ apiVersion, kind, namespace: inNamespace }, signal)).items);
  const exists = async ({ apiVersion, kind }: { apiVersion: string; kind: string }, name: string) =>
    await ifAllowed(async () => (await client.find({ apiVersion, kind, namespace, name }, signal)) !== undefined);
  const accounts = await Promise.all(
    accountsOf(plan).map(async (account) => ({
      account,
      isThere: await exists({ apiVersion: "v1", kind: "ServiceAccount" }, account.name),
    })),
  );
  const components = application === undefined ? undefined : await list(Component, namespace);
  return {
    admissions: target === undefined ? undefined : await list(ReleasePlanAdmission, target),
    hasOwner: application === undefined ? undefined : await exists(Application, application),
    components: components?.filter((one) => indexByOwner(one).includes(`${namespace}/${application}`)).map(nameOf),
    quotas: await list({ apiVersion: "v1", kind: "ResourceQuota" }, namespace),
    missingAccounts: accounts.filter(({ isThere }) => isThere === false).map(({ account }) => account),
  };
}

/** The service accounts that the pipelines of a plan run as. One of Tekton's that names none has Tekton's default. */
function accountsOf({ spec }: KubeObject): readonly PipelineAccount[] {
  const named = ["tenantPipeline", "finalPipeline"].flatMap((field) => {
    const pipeline = readPipeline(isRecord(spec) ? spec[field] : undefined);
    const name = pipeline && (pipeline.serviceAccountName ?? (builtinName(pipeline) && defaultAccount));
    return name ? [{ name, field: `spec.${field}` }] : [];
  });
  const byName = Map.groupBy(named, ({ name }) => name);
  return [...byName].map(([name, asked]) => ({ name, fields: asked.map(({ field }) => field) }));
}

async function ifAllowed<Answer>(read: () => Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ApiError && error.isForbidden) return undefined;
    throw error;
  }
}

function nameOf({ metadata }: KubeObject): string {
  return metadata.name;
}
