import { beforeAll, describe, expect, test } from "vitest";
import { isRecord } from "#base";
import { type KubeObject, refOf } from "#kube";
import { promotionFinalizers, promotionLabels, releaseConditions } from "../kinds/promotion-names.ts";
import { Release } from "../kinds/release.ts";
import { ReleasePlanAdmission } from "../kinds/release-plan-admission.ts";
import { ReleaseServiceConfig, releaseServiceConfigName } from "../kinds/release-service-config.ts";
import { conditionsIn, messageIn, builtinRetag, tektonPipeline, useReleases } from "./use-releases.fixture.ts";

const world = useReleases();
const { tenant, managed, final, validated, released } = releaseConditions;
const writesIn = (calls: readonly string[], part: string) =>
  calls.filter((call) => !call.startsWith("GET") && call.includes(part));
const statusIn = (object: KubeObject | undefined): Readonly<Record<string, unknown>> =>
  isRecord(object?.["status"]) ? object["status"] : {};

/** Changes an object in a way that has no effect, and so makes every replica look at it again. */
async function touch(object: KubeObject, times: number): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    const body = { metadata: { annotations: { touched: String(time) } } };
    await world.client.patch(refOf(object), { type: "merge", body });
  }
}

/** A Release of another plan, which is finished after all that came before it was looked at. */
async function settle(name: string): Promise<void> {
  await world.release(name, "settled", "settled");
  await world.waitForReleased(name, "True/Succeeded");
}

beforeAll(async () => {
  await world.start();
  const definition = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "enterprisecontractpolicies.appstudio.redhat.com" },
    spec: {
      group: "appstudio.redhat.com",
      names: {
        kind: "EnterpriseContractPolicy",
        plural: "enterprisecontractpolicies",
        listKind: "EnterpriseContractPolicyList",
      },
      scope: "Namespaced",
      versions: [
        {
          name: "v1alpha1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
        },
      ],
    },
  };
  await world.client.apply(definition, { fieldManager: "test", force: true });
  const kind = { apiVersion: "appstudio.redhat.com/v1alpha1", kind: "EnterpriseContractPolicy" };
  await world.client.discovery.whenServed(kind, AbortSignal.timeout(300_000));
  const metadata = { name: "default", namespace: world.namespace };
  await world.client.create({ ...kind, metadata, spec: { description: "checked" } });
  await world.snapshot("settled", { application: "settled", labels: { [promotionLabels.autoRelease]: "false" } });
  await world.plan("settled", { application: "settled" });
});

describe("a Release", () => {
  test("P29: a passed Snapshot is released: every condition, one Release through ten reconciles and two replicas, and then silence", async () => {
    const stopReplica = await world.start();
    await world.plan("p29", { application: "a29", spec: { data: { mapping: { defaults: { tags: ["released"] } } } } });
    world.calls.length = 0;
    await world.snapshot("s29", { application: "a29" });
    await world.waitForAutoReleased("s29");
    const [made] = await world.releasesOf("s29");
    const name = made?.metadata.name ?? "";
    const release = await world.waitForReleased(name, "True/Succeeded");
    expect(conditionsIn(release)).toEqual({
      Validated: "True/Succeeded",
      Released: "True/Succeeded",
      TenantCollectorsPipelineProcessed: "True/Skipped",
      ManagedCollectorsPipelineProcessed: "True/Skipped",
      TenantPipelineProcessed: "True/Succeeded",
      ManagedPipelineProcessed: "True/Skipped",
      FinalPipelineProcessed: "True/Skipped",
    });
    expect(release["status"]).toMatchObject({
      automated: true,
      target: world.namespace,
      attribution: { author: "alice", standingAuthorization: true },
      artifacts: { images: [{ name: "web" }], as: `${world.namespace}/appstudio-pipeline` },
    });
    for (const field of ["startTime", "completionTime", "expirationTime"])
      expect(release["status"]).toHaveProperty(field);
    expect(release.metadata.finalizers).toEqual([promotionFinalizers.release]);
    await touch(release, 10);
    await settle("settled-29");
    expect(await world.releasesOf("s29")).toHaveLength(1);
    // One replica moves tags; without a leader two may, and the second changes nothing.
    expect(new Set(world.retagged.filter((each) => each.startsWith("s29")))).toEqual(new Set([name]));
    // Only one replica leads; the others wait for its Lease.
    await stopReplica();
  });

  test("P30: without standing attribution nothing runs, and the message says which label is missing", async () => {
    const labels = { [promotionLabels.standingAttribution]: "false" };
    await world.plan("p30", {
      application: "a30",
      labels,
      spec: { tenantPipeline: tektonPipeline, finalPipeline: tektonPipeline },
    });
    await world.snapshot("s30", { application: "a30" });
    await world.waitForAutoReleased("s30");
    const [made] = await world.releasesOf("s30");
    const release = await world.waitForReleased(made?.metadata.name ?? "", "False/Failed");
    expect(conditionsIn(release)).toEqual({ Validated: "False/Failed", Released: "False/Failed" });
    expect(messageIn(release, validated)).toContain("no author");
    expect(messageIn(release, validated)).toContain(promotionLabels.standingAttribution);
    await settle("settled-30");
    expect(await world.runsOf(release.metadata.name)).toEqual([]);
  });

  test("a Release by hand is its creator's, and a broken reference is named", async () => {
    await world.plan("manual");
    await world.snapshot("s-manual", { labels: { [promotionLabels.autoRelease]: "false" } });
    await world.release("by-hand", "s-manual", "manual");
    const release = await world.waitForReleased("by-hand", "True/Succeeded");
    expect(release["status"]).toMatchObject({ attribution: { author: "bob" } });
    expect(statusIn(release)["attribution"]).not.toHaveProperty("standingAuthorization");
    await world.release("no-plan", "s-manual", "nowhere");
    const refused = await world.waitForReleased("no-plan", "False/Failed");
    expect(messageIn(refused, validated)).toBe(`ReleasePlan ${world.namespace}/nowhere does not exist`);
    await world.plan("other", { application: "other" });
    await world.release("not-mine", "s-manual", "other");
    expect(messageIn(await world.waitForReleased("not-mine", "False/Failed"), validated)).toContain("same owner");
  });

  test("collectors of a plan and of its admission are accepted and skipped, each with a message that says whose", async () => {
    const collectors = {
      items: [{ name: "issues", type: "jira", timeout: 60, params: [{ name: "query", value: "x" }] }],
    };
    await world.plan("collecting", {
      application: "a-collect",
      spec: { target: world.namespace, collectors: { ...collectors, serviceAccountName: "collector" } },
    });
    await world.admission("collecting", {
      spec: { applications: ["a-collect"], collectors, pipeline: builtinRetag },
    });
    await world.snapshot("s-collect", { application: "a-collect" });
    await world.waitForAutoReleased("s-collect");
    const [made] = await world.releasesOf("s-collect");
    const release = await world.waitForReleased(made?.metadata.name ?? "", "True/Succeeded");
    const { tenantCollectors, managedCollectors } = releaseConditions;
    const messages = [tenantCollectors, managedCollectors].map((type) => [
      conditionsIn(release)[type],
      messageIn(release, type),
    ]);
    const said = (kind: string) =>
      `Tenon does not run collectors: those of ${kind} ${world.namespace}/collecting are skipped`;
    expect(messages).toEqual([
      ["True/Skipped", said("ReleasePlan")],
      ["True/Skipped", said("ReleasePlanAdmission")],
    ]);
  });

  test("P34: a plan that no admission, several, one of another origin or a blocked one fits does not release", async () => {
    const own = { application: "a34", spec: { target: world.namespace, tenantPipeline: undefined } };
    await world.snapshot("s34", { application: "a34", labels: { [promotionLabels.autoRelease]: "false" } });
    await world.plan("p34", own);
    const refusal = async (name: string, plan = "p34") => {
      await world.release(name, "s34", plan);
      const release = await world.waitForReleased(name, "False/Failed");
      expect(conditionsIn(release)[validated]).toBe("False/Failed");
      return messageIn(release, validated);
    };
    expect(await refusal("none")).toContain("no ReleasePlanAdmission of namespace");
    const spec = { applications: ["a34"], pipeline: builtinRetag };
    await world.admission("foreign", { spec: { ...spec, origin: "elsewhere" } });
    await world.plan("p34-named", { ...own, labels: { [promotionLabels.releasePlanAdmission]: "foreign" } });
    expect(await refusal("foreign", "p34-named")).toContain(`has the origin ${world.namespace}`);
    const one = await world.admission("one", { spec });
    const two = await world.admission("two", { spec });
    expect(await refusal("two")).toContain("several ReleasePlanAdmissions fit");
    await world.client.delete(refOf(two));
    const block = (value: string) =>
      world.client.patch(refOf(one), {
        type: "merge",
        body: { metadata: { labels: { [promotionLabels.blockReleases]: value } } },
      });
    await block("true");
    expect(await refusal("blocked")).toContain("blocks releases");
    await block("false");
    await world.release("free", "s34", "p34");
    const free = await world.waitForReleased("free", "True/Succeeded");
    expect(conditionsIn(free)).toMatchObject({ [tenant]: "True/Skipped", [managed]: "True/Succeeded" });
  });

  test("a blocked admission leaves a Release alone that has started", async () => {
    const spec = { target: world.namespace, tenantPipeline: tektonPipeline };
    await world.plan("started", { application: "started", spec });
    await world.snapshot("s-started", { application: "started", labels: { [promotionLabels.autoRelease]: "false" } });
    const admission = await world.admission("started", {
      spec: { applications: ["started"], pipeline: builtinRetag },
    });
    await world.release("started", "s-started", "started");
    const run = await world.waitForRun("started", "tenant");
    const body = { metadata: { labels: { [promotionLabels.blockReleases]: "true" } } };
    await world.client.patch(refOf(admission), { type: "merge", body });
    await world.player.finish(run);
    expect(conditionsIn(await world.waitForReleased("started", "True/Succeeded"))[managed]).toBe("True/Succeeded");
  });

  test("P36: the tenant's pipeline fails: its task is named, the managed one is skipped, the final one runs, and the Release stays failed", async () => {
    const spec = { target: world.namespace, tenantPipeline: tektonPipeline, finalPipeline: tektonPipeline };
    await world.plan("p36", { application: "a36", spec });
    await world.admission("a36", { spec: { applications: ["a36"], pipeline: tektonPipeline } });
    await world.snapshot("s36", { application: "a36", labels: { [promotionLabels.autoRelease]: "false" } });
    await world.release("r36", "s36", "p36");
    const run = await world.waitForRun("r36", "tenant");
    const failure = { reason: "Error", message: "no such image" } as const;
    await world.player.finish(run, { hasFailed: true, tasks: [{ name: "scan" }, { name: "push", failure }] });
    const last = await world.waitForRun("r36", "final");
    const running = await world.waitForReleased("r36", "False/Failed");
    expect(conditionsIn(running)).toMatchObject({
      [tenant]: "False/Failed",
      [managed]: "True/Skipped",
      [final]: "False/Progressing",
    });
    expect(messageIn(running, tenant)).toBe("task push failed: no such image");
    await world.player.finish(last);
    const ended = await world.waitFor(refOf(running), (object) => conditionsIn(object)[final] === "True/Succeeded");
    expect(conditionsIn(ended)[released]).toBe("False/Failed");
    for (const name of [run, last]) {
      const ref = { apiVersion: "tekton.dev/v1", kind: "PipelineRun", namespace: world.namespace, name };
      await world.waitFor(ref, (object) => object?.metadata.finalizers === undefined);
    }
  });

  test("a run has the labels, parameters and annotations that release-service gives it", async () => {
    await world.plan("run", {
      application: "run",
      spec: {
        tenantPipeline: { ...tektonPipeline, params: [{ name: "own", value: "1" }], timeouts: { pipeline: "1h" } },
      },
    });
    await world.snapshot("s-run", { application: "run", labels: { [promotionLabels.autoRelease]: "false" } });
    await world.release("run", "s-run", "run");
    await world.waitForRun("run", "tenant");
    const [run] = await world.runsOf("run");
    const here = (name: string) => `${world.namespace}/${name}`;
    expect(run?.metadata.labels).toEqual({
      "appstudio.openshift.io/service": "release",
      "pipelines.appstudio.openshift.io/type": "tenant",
      "release.appstudio.openshift.io/name": "run",
      "release.appstudio.openshift.io/namespace": world.namespace,
      "appstudio.openshift.io/snapshot": "s-run",
      "appstudio.openshift.io/application": "run",
    });
    expect(run?.metadata.annotations).toEqual({
      "operator-sdk/primary-resource": here("run"),
      "operator-sdk/primary-resource-type": "Release.appstudio.redhat.com",
    });
    expect(run?.["spec"]).toMatchObject({
      params: [
        { name: "release", value: here("run") },
        { name: "releasePlan", value: here("run") },
        { name: "snapshot", value: here("s-run") },
        { name: "taskGitUrl", value: "https://git.example/acme/pipelines" },
        { name: "taskGitRevision", value: "0123456789abcdef0123456789abcdef01234567" },
        { name: "own", value: "1" },
      ],
      taskRunTemplate: { serviceAccountName: "appstudio-pipeline" },
      timeouts: { pipeline: "1h0m0s", tasks: "50m0s" },
    });
    await world.client.delete(refOf(run!));
    const release = await world.waitForReleased("run", "False/Failed");
    expect(messageIn(release, tenant)).toContain("was deleted while it was running");
  });

  test("P37: a managed pipeline that runs out of memory is repeated with more, and one that fails otherwise is not", async () => {
    const { apiVersion, kind } = ReleaseServiceConfig;
    const oomKill = {
      multiplier: "2",
      maxComputeResources: { limits: { memory: "3Gi" }, requests: { memory: "3Gi" } },
    };
    const retryPolicy = { maxRetries: 2, disableOn: { tags: ["latest"] }, mitigations: { oomKill } };
    const match = { url: "https://git\\.example/.*", revision: ".*", pathInRepo: "push.yaml" };
    const metadata = { name: releaseServiceConfigName, namespace: world.namespace };
    await world.client.create({
      apiVersion,
      kind,
      metadata,
      spec: { retryablePipelines: [{ ...match, retryPolicy }] },
    });
    await world.plan("p37", { application: "a37", spec: { target: world.namespace, tenantPipeline: undefined } });
    const admission = await world.admission("a37", { spec: { applications: ["a37"], pipeline: tektonPipeline } });
    const enabled = await world.waitFor(refOf(admission), (object) =>
      JSON.stringify(object?.["status"] ?? {}).includes('"enabled":true'),
    );
    expect(enabled?.["status"]).toMatchObject({ releasePlans: [{ name: `${world.namespace}/p37`, active: true }] });
    await world.snapshot("s37", { application: "a37", labels: { [promotionLabels.autoRelease]: "false" } });
    await world.release("r37", "s37", "p37");
    const failure = { reason: "OOMKilled", memory: "1Gi" } as const;
    for (const attempt of [0, 1, 2]) {
      const run = await world.waitForRun("r37", "managed", attempt);
      if (attempt < 2) await world.player.finish(run, { hasFailed: true, tasks: [{ name: "push", failure }] });
      else await world.player.finish(run);
    }
    const release = await world.waitForReleased("r37", "True/Succeeded");
    const attempts = statusIn(release)["managedPipelineAttempts"];
    expect(attempts).toMatchObject([
      { status: "Failed", failureReason: "OOMKill", lastTask: "push", lastStep: "run", successfulTasks: 0 },
      { status: "Failed", failureReason: "OOMKill", mitigation: { memoryLimit: "2Gi" } },
      { status: "Succeeded", mitigation: { memoryLimit: "3Gi" } },
    ]);
    const runs = await world.runsOf("r37");
    const specs = runs
      .toSorted((a, b) => attemptOf(a) - attemptOf(b))
      .map(({ spec }) => (isRecord(spec) ? spec["taskRunSpecs"] : undefined));
    expect(specs).toEqual([undefined, memory("2Gi"), memory("3Gi")]);
    await world.release("r37-error", "s37", "p37");
    const other = await world.waitForRun("r37-error", "managed");
    await world.player.finish(other, { hasFailed: true, tasks: [{ name: "push", failure: { reason: "Error" } }] });
    expect(statusIn(await world.waitForReleased("r37-error", "False/Failed"))["managedPipelineAttempts"]).toHaveLength(
      1,
    );
    const body = { spec: { data: { mapping: { defaults: { tags: ["latest"] } } } } };
    await world.client.patch(refOf(admission), { type: "merge", body });
    const disabled = await world.waitFor(refOf(admission), (object) =>
      JSON.stringify(object?.["status"] ?? {}).includes('"enabled":false'),
    );
    expect(JSON.stringify(disabled?.["status"])).toContain("has the tag latest");
  });

  test("P40: deleting a Release while it runs removes its run, its RoleBinding and its finalizer; the plan says when others expire", async () => {
    await world.plan("p40", {
      application: "a40",
      spec: { target: world.namespace, tenantPipeline: undefined, releaseGracePeriodDays: 3 },
    });
    await world.admission("a40", { spec: { applications: ["a40"], pipeline: tektonPipeline } });
    await world.snapshot("s40", { application: "a40", labels: { [promotionLabels.autoRelease]: "false" } });
    const made = await world.release("r40", "s40", "p40");
    await world.waitForRun("r40", "managed");
    const bindings = async () => {
      const selection = { apiVersion: "rbac.authorization.k8s.io/v1", kind: "RoleBinding", namespace: world.namespace };
      const { items } = await world.client.list(selection);
      return items.map(({ metadata }) => metadata.name).filter((name) => name.startsWith("r40-"));
    };
    const running = await world.waitFor(refOf(made), (object) => conditionsIn(object)[managed] === "False/Progressing");
    const expected = Date.parse(made.metadata.creationTimestamp ?? "") + 3 * 24 * 60 * 60_000;
    expect(Date.parse(String(statusIn(running)["expirationTime"]))).toBe(expected);
    const [binding] = await bindings();
    expect(statusIn(running)["managedProcessing"]).toMatchObject({
      roleBindings: { tenantRoleBinding: `${world.namespace}/${binding}` },
    });
    await world.client.delete(refOf(made));
    await world.waitFor(refOf(made), (object) => object === undefined);
    expect(await bindings()).toEqual([]);
    expect(await world.runsOf("r40")).toEqual([]);
  });

  test("P40: a Release that has expired is deleted, and one that has not stays", async () => {
    await world.snapshot("s-expired", { application: "settled", labels: { [promotionLabels.autoRelease]: "false" } });
    const expired = await world.release("expired", "s-expired", "settled", { gracePeriodDays: 0 });
    const kept = await world.release("kept", "s-expired", "settled", { gracePeriodDays: 1 });
    await world.waitFor(refOf(expired), (object) => object === undefined);
    expect(conditionsIn(await world.waitForReleased("kept", "True/Succeeded"))[released]).toBe("True/Succeeded");
    expect((await world.client.get(refOf(kept))).metadata.deletionTimestamp).toBeUndefined();
  });

  test("a failure of the re-tag that only a user can correct is the verdict, with its message", async () => {
    await world.plan("refused", {
      application: "refused",
      spec: { data: { refusal: "image web has expired; build it again" } },
    });
    await world.snapshot("s-refused", { application: "refused", labels: { [promotionLabels.autoRelease]: "false" } });
    await world.release("refused", "s-refused", "refused");
    const release = await world.waitForReleased("refused", "False/Failed");
    expect(messageIn(release, tenant)).toBe("image web has expired; build it again");
  });

  test("P35: a product that a plan claims makes its pipeline fail", async () => {
    await world.plan("p35", { application: "a35", spec: { data: { releaseNotes: { cpe: "cpe:/a:acme" } } } });
    await world.snapshot("s35", { application: "a35", labels: { [promotionLabels.autoRelease]: "false" } });
    await world.release("r35", "s35", "p35");
    expect(messageIn(await world.waitForReleased("r35", "False/Failed"), tenant)).toContain("releaseNotes.cpe");
  });

  test("P57: an admission's environment changes nothing", async () => {
    await world.plan("p57", { application: "a57", spec: { target: world.namespace, tenantPipeline: undefined } });
    await world.admission("a57", {
      spec: { applications: ["a57"], pipeline: builtinRetag, environment: "production" },
    });
    await world.snapshot("s57", { application: "a57", labels: { [promotionLabels.autoRelease]: "false" } });
    await world.release("r57", "s57", "p57");
    await world.waitForReleased("r57", "True/Succeeded");
    const { items } = await world.client.list({
      apiVersion: ReleasePlanAdmission.apiVersion,
      kind: "ReleasePlanAdmission",
      namespace: world.namespace,
    });
    expect(items.map(({ metadata }) => metadata.name)).toContain("a57");
  });
});

test("a Snapshot that passed is released in at most nine writes, and a restart with finished Releases writes none", async () => {
  await world.stopAll();
  await world.start();
  await world.plan("quiet", { application: "quiet" });
  await settle("settled-quiet");
  world.calls.length = 0;
  const components = ["web", "api", "db"].map((name) => ({
    name,
    containerImage: `reg.local:5000/acme/${name}@sha256:${"0123456789abcdef".repeat(4)}`,
  }));
  await world.snapshot("s-quiet", { application: "quiet", components });
  await world.waitForAutoReleased("s-quiet");
  const [made] = await world.releasesOf("s-quiet");
  await world.waitForReleased(made?.metadata.name ?? "", "True/Succeeded");
  await settle("settled-last");
  const own = [...writesIn(world.calls, "s-quiet"), ...world.calls.filter((call) => /^POST .*\/releases$/.test(call))];
  expect(own.length).toBeLessThanOrEqual(9);
  expect(own).toHaveLength(5);
  await world.stopAll();
  world.calls.length = 0;
  await world.start();
  await world.snapshot("s-last", { application: "settled" });
  await world.waitForAutoReleased("s-last");
  const { items } = await world.client.list({
    apiVersion: Release.apiVersion,
    kind: Release.kind,
    namespace: world.namespace,
  });
  const finished = items.filter(({ spec }) => isRecord(spec) && spec["snapshot"] !== "s-last");
  expect(finished.length).toBeGreaterThan(15);
  for (const { metadata } of finished) expect(writesIn(world.calls, `/releases/${metadata.name}`)).toEqual([]);
});

function attemptOf({ metadata }: KubeObject): number {
  return Number(metadata.labels?.[promotionLabels.attempt]);
}

/** What a task that runs out of memory gets. */
function memory(limit: string): object[] {
  const computeResources = { limits: { memory: limit }, requests: { memory: limit } };
  return [{ pipelineTaskName: "push", stepSpecs: [{ name: "run", computeResources }] }];
}
