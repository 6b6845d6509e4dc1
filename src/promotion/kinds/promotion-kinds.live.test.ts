import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { silentLogger } from "#base";
import { testKubeconfig, useNamespace } from "#harness";
import { connect, createClient, type KubeClient, loadAccess, type NewObject, refOf, type Transport } from "#kube";
import { installPromotion } from "../policies/install-promotion.ts";
import { kindRulesPolicy } from "../policies/kind-rules-policy.ts";
import { IntegrationTestScenario } from "./integration-test-scenario.ts";
import { promotionLabels, upstreamGroup } from "./promotion-names.ts";
import { Snapshot } from "./snapshot.ts";

const { namespace } = useNamespace();
const limit = () => AbortSignal.timeout(300_000);
let transport: Transport | undefined;
let client: KubeClient;

beforeAll(async () => {
  transport = connect(await loadAccess({ kubeconfig: testKubeconfig() }));
  client = createClient(transport);
  await installPromotion(client, silentLogger, limit());
});
afterAll(async () => {
  await transport?.[Symbol.asyncDispose]();
});

const digest = `sha256:${"ab".repeat(32)}`;

function snapshot(name: string, spec: object = {}): NewObject & { readonly metadata: { readonly name: string } } {
  const components = [{ name: "web", containerImage: `reg.local:5000/acme/web@${digest}` }];
  const { apiVersion, kind } = Snapshot;
  return { apiVersion, kind, metadata: { name, namespace }, spec: { application: "shop", components, ...spec } };
}

function scenario(name: string, spec: object = {}): NewObject {
  const { apiVersion, kind } = IntegrationTestScenario;
  const params = [{ name: "url", value: "https://git.example/acme/tests" }];
  const given = { application: "shop", resolverRef: { resolver: "git", params }, ...spec };
  return { apiVersion, kind, metadata: { name, namespace }, spec: given };
}

const git = (...params: readonly (readonly [string, string])[]) => ({
  resolverRef: { resolver: "git", params: params.map(([name, value]) => ({ name, value })) },
});

describe("Snapshots", () => {
  test("P16: the components of a Snapshot cannot be changed, removed or added to", async () => {
    const made = await client.create(snapshot("fixed"));
    const other = [{ name: "web", containerImage: `reg.local:5000/acme/web@sha256:${"cd".repeat(32)}` }];
    for (const components of [other, [], undefined, [...other, { name: "api", containerImage: "a" }]]) {
      const body = { spec: { components: components ?? null } };
      await expect(client.patch(refOf(made), { type: "merge", body })).rejects.toThrow("never change");
    }
    const bare = await client.create(snapshot("bare", { components: undefined }));
    const body = { spec: { components: other } };
    await expect(client.patch(refOf(bare), { type: "merge", body })).rejects.toThrow("never change");
    await client.patch(refOf(made), { type: "merge", body: { spec: { displayName: "Shop" } } });
  });

  test("P16: a Snapshot with a name of 64 characters is refused, and one of 63 accepted", async () => {
    await expect(client.create(snapshot("a".repeat(64)), { dryRun: true })).rejects.toThrow("at most 63 characters");
    await client.create(snapshot("a".repeat(63)), { dryRun: true });
  });

  test("a Snapshot made by hand gets the label of its owner, and a wrong label is corrected", async () => {
    const given = snapshot("labelled");
    const metadata = { ...given.metadata, labels: { [promotionLabels.application]: "other", mine: "yes" } };
    // The API server applies a new policy a moment after it was installed.
    const labelsNow = async () => (await client.create({ ...given, metadata }, { dryRun: true })).metadata.labels;
    await expect.poll(labelsNow).toEqual({ [promotionLabels.application]: "shop", mine: "yes" });
    const group = await client.create(snapshot("grouped", { application: undefined, componentGroup: "all" }));
    expect(group.metadata.labels).toEqual({ [promotionLabels.componentGroup]: "all" });
  });
});

describe("IntegrationTestScenarios", () => {
  const refused: readonly (readonly [string, NewObject, string])[] = [
    ["a param SNAPSHOT", scenario("a", { params: [{ name: "SNAPSHOT", value: "x" }] }), "SNAPSHOT"],
    ["a name that starts with a digit", scenario("1a"), "starts with a letter"],
    ["both owners", scenario("a", { componentGroup: "all" }), "either application or componentGroup"],
    ["no owner", scenario("a", { application: undefined }), "either application or componentGroup"],
    ["url and repo", scenario("a", git(["url", "https://a.b/c"], ["repo", "c"])), "repo and org"],
    ["neither url nor repo", scenario("a", git(["revision", "main"])), "repo and org"],
    ["repo without org", scenario("a", git(["repo", "c"])), "repo and org"],
    ["an http URL", scenario("a", git(["url", "http://a.b/c"])), "https://"],
    ["a URL that is none", scenario("a", git(["url", "https:// a"])), "https://"],
    ["a value with a trailing blank", scenario("a", git(["url", "https://a.b/c "])), "value"],
    ["a token that is not a name", scenario("a", git(["url", "https://a.b/c"], ["token", "My_Secret"])), "token"],
  ];
  test.each(refused)("P19: a scenario with %s is refused", async (_, object, message) => {
    await expect(client.create(object, { dryRun: true })).rejects.toThrow(message);
  });

  test("P19: an update of a scenario is checked too, and a valid one gets its resourceKind", async () => {
    const made = await client.create(scenario("valid"));
    expect(made["spec"]).toMatchObject({ resolverRef: { resourceKind: "pipeline" } });
    const body = { spec: { params: [{ name: "SNAPSHOT", value: "x" }] } };
    await expect(client.patch(refOf(made), { type: "merge", body })).rejects.toThrow("SNAPSHOT");
  });

  test("P65: v1beta1 is served, and its environment is dropped", async () => {
    const given = scenario("older", { environment: { name: "x", type: "y" } });
    const apiVersion = `${upstreamGroup}/v1beta1`;
    const made = await client.create({ ...given, apiVersion }, { fieldValidation: "Ignore" });
    expect(made["spec"]).not.toHaveProperty("environment");
    const newer = await client.get({ ...IntegrationTestScenario, namespace, name: "older" });
    expect(newer["spec"]).toMatchObject({ application: "shop" });
  });
});

test("P57: no kind of deployments is installed", async () => {
  const served = await client.discovery.resources();
  const kinds = served.map(({ kind }) => kind);
  const gone = ["Environment", "SnapshotEnvironmentBinding", "GitOpsDeploymentManagedEnvironment", "PromotionRun"];
  const targets = ["DeploymentTarget", "DeploymentTargetClaim", "DeploymentTargetClass", "ComponentDetectionQuery"];
  for (const kind of [...gone, ...targets]) expect(kinds).not.toContain(kind);
});

test("P65: a kind of deployments that is installed already is left alone", async () => {
  const definition = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `environments.${upstreamGroup}` },
    spec: {
      group: upstreamGroup,
      scope: "Namespaced",
      names: { kind: "Environment", plural: "environments", singular: "environment", listKind: "EnvironmentList" },
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
  const ref = refOf(await client.create(definition));
  try {
    const made = { apiVersion: `${upstreamGroup}/v1alpha1`, kind: "Environment" };
    await client.discovery.whenServed(made, limit());
    const { metadata } = await client.create({ ...made, metadata: { name: "staging", namespace } });
    const before = await client.get(ref);
    await installPromotion(client, silentLogger, limit());
    expect((await client.get(ref)).metadata.generation).toBe(before.metadata.generation);
    const after = await client.get({ ...made, namespace, name: "staging" });
    expect(after.metadata.resourceVersion).toBe(metadata.resourceVersion);
  } finally {
    await client.delete(ref);
  }
});

test("the rules of Snapshots and scenarios are valid as a policy, for definitions of Konflux", async () => {
  const policies = [...kindRulesPolicy(Snapshot), ...kindRulesPolicy(IntegrationTestScenario)];
  const made = await Promise.all(policies.map((policy) => client.create(policy, { dryRun: true })));
  expect(made.map(({ kind }) => kind)).toEqual(policies.map(({ kind }) => kind));
});
