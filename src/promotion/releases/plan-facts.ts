import { type Clock, isRecord } from "#base";
import { ApiError, type KubeClient, type KubeObject, type ObjectStore } from "#kube";
import { byApplication } from "../builds/build-reconciler.ts";
import { Application } from "../kinds/application.ts";
import { Component } from "../kinds/component.ts";
import { ReleasePlanAdmission } from "../kinds/release-plan-admission.ts";
import { ReleaseServiceConfig } from "../kinds/release-service-config.ts";
import { findAuthorPolicies } from "../policies/find-author-policies.ts";
import { byTenant, indexByOwner } from "../promotion-sources.ts";
import { ownerIn } from "../scenarios/tested-snapshot.ts";
import { defaultAccount, shippedBuiltins } from "./builtin-runner.ts";
import type { ExpiringImage, PipelineAccount, PlanFacts } from "./judge-plan.ts";
import { findExpressionProblem } from "./find-expression-problem.ts";
import { pipelinesOf } from "./judge-pipelines.ts";
import { isPolicyMissing } from "./load-release-facts.ts";
import { type AdmissionMatch, matchTarget } from "./match-admission.ts";
import { builtinName } from "./phase-pipeline.ts";
import type { FactsAroundPlan } from "./plan-reconciler.ts";
import { readReleaseConfig } from "./release-config.ts";

interface PlanFactStores {
  readonly applications: Pick<ObjectStore, "get">;
  /** Indexed by Application. */
  readonly components: Pick<ObjectStore, "byIndex">;
  /** ResourceQuotas, indexed by namespace. */
  readonly quotas: Pick<ObjectStore, "byIndex">;
  /** ServiceAccounts; their names suffice. */
  readonly accounts: Pick<ObjectStore, "get">;
  /** The only namespace that the stores know; undefined for all. */
  readonly namespace?: string | undefined;
  /** Undefined until the images of the plan were looked at. */
  readonly expiringOf: (plan: KubeObject) => readonly ExpiringImage[] | undefined;
}

/** What a controller knows around a plan, from its stores. */
export function planFactsOf(stores: PlanFactStores): FactsAroundPlan {
  const { applications, components, quotas, accounts, expiringOf } = stores;
  const isKnown = (namespace = "") => stores.namespace === undefined || stores.namespace === namespace;
  return (plan, match) => {
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
      missingAccounts: accountsOf(plan, match).filter(({ name, admission }) => {
        const where = admission ? admission.metadata.namespace : namespace;
        return isKnown(where) && !accounts.get(`${where}/${name}`);
      }),
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
    expressionProblem: await findExpressionProblem(plan),
    pipelineRules: await readPipelineRules(client, signal),
  });
}

/** The namespace of the settings is not known here; there is one such object in a cluster. */
async function readPipelineRules(client: KubeClient, signal: AbortSignal): Promise<PlanFacts["pipelineRules"]> {
  const { apiVersion, kind } = ReleaseServiceConfig;
  const configs = await ifAllowed(async () => (await client.list({ apiVersion, kind }, signal)).items);
  const allowsCluster = configs?.some((config) => readReleaseConfig(config).debug);
  return allowsCluster === undefined ? undefined : { allowsCluster, builtins: shippedBuiltins };
}

async function readPlanFacts(plan: KubeObject, client: KubeClient, signal: AbortSignal): Promise<PlanFacts> {
  const { namespace } = plan.metadata;
  const spec = isRecord(plan["spec"]) ? plan["spec"] : {};
  const owner = ownerIn(spec);
  const application = owner?.kind === "Application" ? owner.name : undefined;
  const target = typeof spec["target"] === "string" ? spec["target"] : undefined;
  const list = async ({ apiVersion, kind }: { apiVersion: string; kind: string }, inNamespace: string | undefined) =>
    await ifAllowed(async () => (await client.list({ apiVersion, kind, namespace: inNamespace }, signal)).items);
  const exists = async (
    { apiVersion, kind }: { apiVersion: string; kind: string },
    name: string,
    { metadata: { namespace: inNamespace } }: KubeObject = plan,
  ) =>
    await ifAllowed(
      async () => (await client.find({ apiVersion, kind, namespace: inNamespace, name }, signal)) !== undefined,
    );
  const admissions = target === undefined ? undefined : await list(ReleasePlanAdmission, target);
  const match = admissions && matchTarget(plan, admissions);
  const accounts = await Promise.all(
    accountsOf(plan, match).map(async (account) => ({
      account,
      isThere: await exists({ apiVersion: "v1", kind: "ServiceAccount" }, account.name, account.admission ?? plan),
    })),
  );
  const components = application === undefined ? undefined : await list(Component, namespace);
  return {
    admissions,
    lacksPolicy:
      match?.kind === "matched"
        ? await ifAllowed(() => isPolicyMissing(match.admission, { client }, signal))
        : undefined,
    hasOwner: application === undefined ? undefined : await exists(Application, application),
    components: components?.filter((one) => indexByOwner(one).includes(`${namespace}/${application}`)).map(nameOf),
    quotas: await list({ apiVersion: "v1", kind: "ResourceQuota" }, namespace),
    missingAccounts: accounts.filter(({ isThere }) => isThere === false).map(({ account }) => account),
  };
}

/** The service accounts that pipelines run as. One of Tekton's that names none has Tekton's default. */
function accountsOf(plan: KubeObject, match: AdmissionMatch | undefined): readonly PipelineAccount[] {
  const named = pipelinesOf(plan, match).flatMap(({ phase, holder, field, pipeline }) => {
    const name = pipeline.serviceAccountName ?? (builtinName(pipeline) && defaultAccount);
    const admission = phase === "managed" ? { admission: holder } : {};
    return name ? [{ name, field: `spec.${field}`, ...admission }] : [];
  });
  const byPlace = Map.groupBy(named, ({ name, admission }) => `${admission ? "admission" : "plan"}/${name}`);
  return [...byPlace.values()].flatMap((asked) => {
    const [first] = asked;
    if (!first) return [];
    const { name, admission } = first;
    return [{ name, fields: asked.map(({ field }) => field), ...(admission ? { admission } : {}) }];
  });
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
