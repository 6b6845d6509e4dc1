import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { silentLogger } from "#base";
import { installKinds } from "#crd";
import { clientWithRights, testKubeconfig } from "#harness";
import { connect, createClient, type KubeClient, type KubeObject, loadAccess } from "#kube";
import {
  Application,
  authorLabelOf,
  Component,
  installPromotion,
  planOnboarding,
  Propagation,
  Release,
  ReleasePlan,
  renderTenant,
  Snapshot,
} from "#promotion";
import { FakeShell } from "../fake-shell.fixture.ts";
import { runCommandLine } from "../run-command-line.ts";

const namespace = `team-${crypto.randomUUID().slice(0, 8)}`;
const transport = connect(await loadAccess({ kubeconfig: testKubeconfig() }));
const client: KubeClient = createClient(transport);
const digest = `sha256:${"0123456789abcdef".repeat(4)}`;

beforeAll(async () => {
  const signal = AbortSignal.timeout(300_000);
  await installPromotion(client, silentLogger, signal);
  await installKinds(client, [Propagation], { signal });
  await client.discovery.whenServed(Propagation, signal);
});
afterAll(async () => {
  await client.delete({ apiVersion: "v1", kind: "Namespace", name: namespace });
  await transport[Symbol.asyncDispose]();
});

async function promote(words: readonly string[], typed?: readonly string[]) {
  const env = { NO_COLOR: "1", KUBECONFIG: testKubeconfig() };
  const shell = new FakeShell({ env, ...(typed ? { typed } : {}) });
  const exitCode = await runCommandLine(["promote", ...words], shell);
  return { exitCode, stdout: shell.stdout.text, stderr: shell.stderr.text };
}

function find({ apiVersion, kind }: { apiVersion: string; kind: string }, name: string) {
  return client.find({ apiVersion, kind, namespace, name });
}

const account = { apiVersion: "v1", kind: "ServiceAccount" };
const onboard = ["onboard", namespace, "--application", "shop", "--registry-secret", "quay"];
const me = async () => (await client.whoAmI()).user;

async function create(kind: { apiVersion: string; kind: string }, name: string, spec: object): Promise<KubeObject> {
  return client.create({ apiVersion: kind.apiVersion, kind: kind.kind, metadata: { name, namespace }, spec });
}

describe("a team", () => {
  test("sees what onboarding would make, and gets nothing without a yes", async () => {
    const shown = await promote(onboard, ["no"]);
    expect(shown).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("nothing was changed") });
    expect(shown.stdout).toBe(`namespace ${namespace}, as ${await me()}:
  + Namespace ${namespace}
  + ServiceAccount appstudio-pipeline
  + ServiceAccount konflux-integration-runner
  + Role appstudio-pipeline-credentials
  + RoleBinding appstudio-pipeline-credentials
  + RoleBinding konflux-integration-runner
  + Application shop
  + ReleasePlan shop-released
`);
    expect(await client.find({ apiVersion: "v1", kind: "Namespace", name: namespace })).toBeUndefined();
  });

  test("is onboarded in its own name, and a second run has nothing to do", async () => {
    const made = await promote([...onboard, "--yes"]);
    expect(made).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("8 applied"), stderr: "" });
    const plan = await find(ReleasePlan, "shop-released");
    expect(plan).toMatchObject({
      metadata: {
        labels: {
          "release.appstudio.openshift.io/auto-release": "true",
          "release.appstudio.openshift.io/standing-attribution": "true",
          "release.appstudio.openshift.io/author": (await me()).replaceAll(":", "_"),
        },
      },
      spec: { application: "shop", data: { mapping: { defaults: { tags: ["released"] } } } },
    });
    const again = await promote(onboard);
    expect(again).toEqual({
      exitCode: 0,
      stdout: `namespace ${namespace}, as ${await me()}:\nnothing to do\n`,
      stderr: "",
    });
    expect((await find(ReleasePlan, "shop-released"))?.metadata.resourceVersion).toBe(plan?.metadata.resourceVersion);
  });

  test("P61: gets a second plan with a tag of its own, for another stage", async () => {
    const made = await promote([...onboard, "--plan", "validated", "--tag", "validated", "--yes"]);
    expect(made).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("+ ReleasePlan validated") });
    for (const [name, tag] of [
      ["validated", "validated"],
      ["shop-released", "released"],
    ] as const) {
      expect((await find(ReleasePlan, name))?.["spec"]).toMatchObject({
        data: { mapping: { defaults: { tags: [tag] } } },
      });
    }
  });

  test("keeps what others made, unless it is taken over", async () => {
    await client.delete({ ...account, namespace, name: "appstudio-pipeline" });
    await client.create({ ...account, metadata: { namespace, name: "appstudio-pipeline", labels: { of: "others" } } });
    const kept = await promote([...onboard, "--dry-run"]);
    expect(kept.stdout).toContain(
      "  = ServiceAccount appstudio-pipeline: it exists already, and onboarding did not make it\n",
    );
    const taken = await promote([...onboard, "--take-over", "--yes"]);
    expect(taken).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining("  ~ ServiceAccount appstudio-pipeline: "),
    });
    expect((await find(account, "appstudio-pipeline"))?.metadata.labels).toMatchObject({ of: "others" });
  });

  test("gets pull requests for the images of its components", async () => {
    const source = { git: { url: "https://git.example/acme/web" } };
    await create(Component, "web", {
      componentName: "web",
      application: "shop",
      source,
      containerImage: "quay.io/acme/web:x",
    });
    const gitops = ["--gitops", "https://github.com/acme/gitops", "--forge-secret", "github"];
    const made = await promote([...onboard, ...gitops, "--yes"]);
    expect(made).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("  + Propagation shop\n") });
    expect((await find(Propagation, "shop"))?.["spec"]).toMatchObject({
      source: { images: [{ repository: "quay.io/acme/web", tag: "released", component: "web" }] },
      stages: [{ repository: "https://github.com/acme/gitops", forge: { kind: "github", credentials: "github" } }],
    });
  });

  test.for([
    {
      reason: "no image",
      words: ["onboard", "other", "--gitops", "https://github.com/a/b"],
      message: "--image quay.io",
    },
    {
      reason: "an unknown forge",
      words: ["onboard", "other", "--gitops", "https://git.example/a", "--image", "quay.io/a/b"],
      message: "--forge github",
    },
    { reason: "a name that no namespace has", words: ["onboard", "The Shop"], message: "not a valid namespace" },
  ])("`tenon promote onboard` names what to change: $reason", async ({ words, message }) => {
    expect(await promote([...words, "--yes"])).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(message) });
  });

  test("is offboarded without its history", async () => {
    await create(Snapshot, "shop-1", {
      application: "shop",
      components: [{ name: "web", containerImage: `quay.io/acme/web@${digest}` }],
    });
    await create(Release, "shop-1", { snapshot: "shop-1", releasePlan: "shop-released" });
    const shown = await promote(["offboard", namespace], ["no"]);
    expect(shown.stdout).toBe(`  - ReleasePlan shop-released
  - ReleasePlan validated
  - Propagation shop
  - RoleBinding appstudio-pipeline-credentials
  - RoleBinding konflux-integration-runner
  - Role appstudio-pipeline-credentials
  - ServiceAccount appstudio-pipeline
  - ServiceAccount konflux-integration-runner
  ~ Namespace ${namespace}: no plans for Applications that appear later
  = Application shop: 2 components and Snapshots belong to it; delete it yourself with them
stays: the namespace, with 1 Component, 1 Snapshot, 1 Release; \`kubectl delete namespace ${namespace}\` deletes all of it
`);
    expect(await find(ReleasePlan, "shop-released")).toBeDefined();
    expect(await promote(["offboard", namespace, "--yes"])).toMatchObject({ exitCode: 0, stderr: "" });
    const again = await promote(["offboard", namespace]);
    expect(again).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("nothing to do") });
    await vi.waitUntil(async () => !(await find(ReleasePlan, "shop-released")), { timeout: 300_000 });
    for (const [kind, name] of [
      [Application, "shop"],
      [Snapshot, "shop-1"],
      [Release, "shop-1"],
    ] as const) {
      expect(await find(kind, name), `${kind.kind} ${name}`).toBeDefined();
    }
  });
});

test("without the right to change the namespace, the rest is onboarded and the right is named", async () => {
  const user = await clientWithRights({ client, namespace }, [
    {
      apiGroups: ["appstudio.redhat.com"],
      resources: ["releaseplans", "applications"],
      verbs: ["create", "get", "patch"],
    },
    { apiGroups: [""], resources: ["serviceaccounts", "namespaces"], verbs: ["get", "create"] },
  ]);
  const { user: name } = await user.whoAmI();
  const desired = renderTenant({
    namespace,
    application: "blog",
    tags: ["released"],
    pipeline: "builtin",
    environmentTasks: false,
    autoRelease: true,
    author: authorLabelOf(name),
    registrySecrets: [],
  });
  const steps = await planOnboarding(desired, { takeOver: false }, user, AbortSignal.timeout(300_000));
  expect(steps[0]).toMatchObject({ action: "kept", reason: expect.stringContaining("get no plan by themselves") });
  expect(steps.find(({ object }) => object.kind === "ReleasePlan")).toMatchObject({ action: "create" });
  expect(steps.find(({ object }) => object.kind === "Role")).toMatchObject({
    action: "refused",
    reason: expect.stringContaining("roles"),
  });
});
