import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createLogger, isRecord, systemClock } from "#base";
import { clientWithRights } from "#harness";
import { type KubeClient, type KubeObject, reviewOwnAccess } from "#kube";
import { runControllers } from "#runtime";
import { createOnboarding } from "../create-onboarding.ts";
import { Application } from "../kinds/application.ts";
import { promotionAnnotations, promotionLabels, releaseConditions } from "../kinds/promotion-names.ts";
import { ReleasePlan } from "../kinds/release-plan.ts";
import { messageIn, useReleases } from "../releases/use-releases.fixture.ts";
import { onboardingRights } from "./onboarding-rights.ts";

const world = useReleases();
const { defaultPlan, defaultPlanAuthor } = promotionAnnotations;
const limitMs = 300_000;
const asked = JSON.stringify({
  spec: {
    tenantPipeline: {
      pipelineRef: { resolver: "builtin", params: [{ name: "name", value: "retag" }] },
      serviceAccountName: "appstudio-pipeline",
    },
    data: { mapping: { defaults: { tags: ["released"] } } },
  },
});
let alice: KubeClient;
let tenon: KubeClient;
const ending = new AbortController();
const ended: Promise<void>[] = [];

beforeAll(async () => {
  alice = world.client.impersonate({ user: "alice@acme.example", groups: ["system:masters"] });
  tenon = await clientOfTenon();
});
afterAll(async () => {
  ending.abort(new Error("the tests are over"));
  await Promise.all(ended);
  for (const kind of ["ClusterRoleBinding", "ClusterRole"]) {
    await world.client.delete({ apiVersion: "rbac.authorization.k8s.io/v1", kind, name: world.namespace });
  }
});

/** Tenon as the chart installs it: with the rights that it declares, and no others. */
async function clientOfTenon(): Promise<KubeClient> {
  const apiVersion = "rbac.authorization.k8s.io/v1";
  const apiGroup = "rbac.authorization.k8s.io";
  const name = world.namespace;
  const rules = onboardingRights.map(({ apiGroup: group, resources, verbs }) => ({
    apiGroups: [group],
    resources,
    verbs,
  }));
  await world.client.create({ apiVersion, kind: "ClusterRole", metadata: { name }, rules });
  const subjects = [{ kind: "User", name, apiGroup }];
  const roleRef = { kind: "ClusterRole", name, apiGroup };
  await world.client.create({ apiVersion, kind: "ClusterRoleBinding", metadata: { name }, subjects, roleRef });
  const client = world.client.impersonate({ user: name });
  const question = { verb: "list", group: "", resource: "namespaces" };
  await vi.waitUntil(async () => (await reviewOwnAccess(client, question)).isAllowed, { timeout: limitMs });
  return client;
}

function start(): void {
  const log = createLogger({ level: "debug", destination: { write: (line) => void world.lines.push(line) } });
  const { namespace } = world;
  const controllers = createOnboarding({ client: tenon, clock: systemClock, random: Math.random, log, namespace });
  ended.push(runControllers({ controllers, graceMs: 0, clock: systemClock, log }, ending.signal));
}

async function annotate(client: KubeClient, annotations: Readonly<Record<string, string | null>>): Promise<void> {
  const ref = { apiVersion: "v1", kind: "Namespace", name: world.namespace };
  await client.patch(ref, { type: "merge", body: { metadata: { annotations } } });
}

/** Waits until the Application says which plan it got. */
async function planOf(application: string): Promise<string> {
  const found = await world.waitFor(
    world.ref(Application, application),
    (object) => object?.metadata.annotations?.[defaultPlan] !== undefined,
  );
  return found?.metadata.annotations?.[defaultPlan] ?? "";
}

async function plans(): Promise<readonly KubeObject[]> {
  const { apiVersion, kind } = ReleasePlan;
  return (await world.client.list({ apiVersion, kind, namespace: world.namespace })).items;
}

const plansFor = async (application: string) =>
  (await plans()).filter(({ spec }) => isRecord(spec) && spec["application"] === application);

describe("a namespace that was onboarded before it had an Application", () => {
  test("P62: gets one plan for each Application that appears, of the person who onboarded, and none twice", async () => {
    await annotate(alice, { [defaultPlan]: asked });
    // Two replicas without an election are worse than what happens when a leader changes.
    start();
    start();
    await world.application("web");
    await world.application("api");
    expect(await planOf("web")).toBe("web-released");
    expect(await planOf("api")).toBe("api-released");
    const [web, ...others] = await plansFor("web");
    expect(others).toEqual([]);
    expect(web).toMatchObject({
      metadata: {
        name: "web-released",
        labels: {
          [promotionLabels.autoRelease]: "true",
          [promotionLabels.standingAttribution]: "true",
          [promotionLabels.author]: "alice.acme.example",
        },
      },
      spec: { ...JSON.parse(asked).spec, application: "web" },
    });
    expect(await plansFor("api")).toHaveLength(1);
  });

  test("P62: a plan that a person deletes does not come back, whatever else changes", async () => {
    await world.client.delete(world.ref(ReleasePlan, "web-released"));
    await annotate(alice, { [defaultPlan]: asked.replace("released", "validated") });
    await world.application("later");
    expect(await planOf("later")).toBe("later-released");
    expect(await plansFor("web")).toEqual([]);
    expect(await plansFor("api")).toHaveLength(1);
    expect((await plansFor("later"))[0]?.["spec"]).toMatchObject({
      data: { mapping: { defaults: { tags: ["validated"] } } },
    });
  });

  test("P62: an Application that comes with a plan of its own keeps to that one", async () => {
    await world.plan("own", { application: "careful" });
    await world.application("careful");
    expect(await planOf("careful")).toBe("own");
    expect(await plansFor("careful")).toHaveLength(1);
  });

  test("a plan that the API server refuses is said on the Application, and made once it is corrected", async () => {
    await annotate(alice, { [defaultPlan]: '{"spec":{"tenantPipeline":{"pipelineRef":"released"}}}' });
    await world.application("broken");
    const type = releaseConditions.defaultPlan;
    const found = await world.waitFor(world.ref(Application, "broken"), (one) => messageIn(one, type) !== "undefined");
    expect(messageIn(found, type)).toContain("pipelineRef");
    await annotate(alice, { [defaultPlan]: asked });
    expect(await planOf("broken")).toBe("broken-released");
    const ref = world.ref(Application, "broken");
    await world.waitFor(ref, (one) => messageIn(one, type) === "undefined");
  });
});

describe("who asks for default plans", () => {
  test("must be allowed to make plans, and cannot name another author", async () => {
    const rights = [{ apiGroups: [""], resources: ["namespaces"], verbs: ["get", "patch"] }] as const;
    const mallory = await clientWithRights(world, rights);
    const { user } = await mallory.whoAmI();
    const changed = { [defaultPlan]: '{"spec":{}}', [defaultPlanAuthor]: user };
    await expect(annotate(mallory, changed)).rejects.toThrow(/needs the right to create ReleasePlans/);
    await expect(annotate(mallory, { [defaultPlanAuthor]: "bob" })).rejects.toThrow(/which is you/);
    await expect(annotate(alice, { [defaultPlan]: "{}", [defaultPlanAuthor]: "bob" })).rejects.toThrow(/which is you/);
    await annotate(mallory, { harmless: "yes" });
  });

  test("is the author of plans that only Tenon can make in their name", async () => {
    const plan = {
      apiVersion: ReleasePlan.apiVersion,
      kind: ReleasePlan.kind,
      metadata: {
        name: "forged",
        namespace: world.namespace,
        labels: { [promotionLabels.standingAttribution]: "true", [promotionLabels.author]: "alice.acme.example" },
      },
      spec: { application: "shop" },
    };
    const rights = [
      { apiGroups: ["appstudio.redhat.com"], resources: ["releaseplans"], verbs: ["create", "update", "patch"] },
    ] as const;
    const mallory = await clientWithRights(world, rights);
    await expect(mallory.create(plan)).rejects.toThrow(/which is you/);
    const { name, uid } = (await tenon.create(plan, { dryRun: true })).metadata;
    expect({ name, uid: typeof uid }).toEqual({ name: "forged", uid: "string" });
    const other = {
      ...plan,
      metadata: { ...plan.metadata, labels: { ...plan.metadata.labels, [promotionLabels.author]: "bob" } },
    };
    await expect(tenon.create(other)).rejects.toThrow(/which is you/);
  });
});
