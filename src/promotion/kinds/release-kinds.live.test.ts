import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { silentLogger } from "#base";
import type { Kind } from "#crd";
import { testKubeconfig, useNamespace } from "#harness";
import {
  ApiError,
  connect,
  createClient,
  type KubeClient,
  loadAccess,
  type NewObject,
  refOf,
  type Transport,
} from "#kube";
import { installPromotion } from "../policies/install-promotion.ts";
import { kindRulesPolicy } from "../policies/kind-rules-policy.ts";
import { promotionLabels } from "./promotion-names.ts";
import { Release } from "./release.ts";
import { ReleasePlan } from "./release-plan.ts";
import { ReleasePlanAdmission } from "./release-plan-admission.ts";

const { namespace } = useNamespace();
const limit = () => AbortSignal.timeout(300_000);
let transport: Transport | undefined;
let client: KubeClient;
let alice: KubeClient;

beforeAll(async () => {
  transport = connect(await loadAccess({ kubeconfig: testKubeconfig() }));
  client = createClient(transport);
  alice = client.impersonate({ user: "alice", groups: ["system:masters"] });
  await installPromotion(client, silentLogger, limit());
  // What fills in labels works once `installPromotion` returns; what refuses is a policy of its own.
  const forged = [
    object(ReleasePlan, "probe", { application: "shop" }, { ...standing, [promotionLabels.author]: "forged" }),
    object(Release, "probe", released, { [promotionLabels.automated]: "true", [promotionLabels.author]: "forged" }),
    object(ReleasePlanAdmission, "probe", admission, { [promotionLabels.blockReleases]: "forged" }),
  ];
  for (const probe of forged) {
    const isRefused = async () =>
      await client.create(probe, { dryRun: true }).then(
        () => false,
        (error: unknown) => error instanceof ApiError && error.isInvalid,
      );
    await vi.waitUntil(isRefused, { timeout: 300_000 });
  }
});
afterAll(async () => {
  await transport?.[Symbol.asyncDispose]();
});

const standing = { [promotionLabels.standingAttribution]: "true" };
const released = { snapshot: "shop-1", releasePlan: "released" };
const admission = { applications: ["shop"], origin: "shop", policy: "default" };

function object(
  { apiVersion, kind }: Pick<Kind, "apiVersion" | "kind">,
  name: string,
  spec: object,
  labels: Readonly<Record<string, string>> = {},
): NewObject {
  return { apiVersion, kind, metadata: { name, namespace, labels }, spec };
}

function plan(
  name: string,
  labels: Readonly<Record<string, string>>,
  spec: object = { application: "shop" },
): NewObject {
  return object(ReleasePlan, name, spec, labels);
}

describe("Releases", () => {
  test("P39: what a Release releases never changes, and neither does its data", async () => {
    const data = { a: 1, deep: { b: [1] } };
    const made = await client.create(object(Release, "fixed", { ...released, data }));
    const changes = [
      { snapshot: "shop-2" },
      { releasePlan: "other" },
      { gracePeriodDays: 3 },
      { data: null },
      { data: null, gracePeriodDays: 3 },
      { data: { a: 2 } },
      { data: { a: null, c: 1 } },
      { data: { deep: { b: null, c: [1] } } },
    ];
    for (const spec of changes) {
      const change = client.patch(refOf(made), { type: "merge", body: { spec } });
      await expect(change).rejects.toThrow("never changes");
    }
    const graced = await client.create(object(Release, "graced", { ...released, gracePeriodDays: 3 }));
    const body = { spec: { gracePeriodDays: null, data } };
    await expect(client.patch(refOf(graced), { type: "merge", body })).rejects.toThrow("never changes");
    await client.patch(refOf(made), { type: "merge", body: { metadata: { labels: { mine: "yes" } } } });
  });

  test("P39: the author of a Release is its creator, whatever the label says, and never changes", async () => {
    const user = client.impersonate({ user: "a:b@c.d", groups: ["system:masters"] });
    const made = await user.create(object(Release, "authored", released, { [promotionLabels.author]: "forged" }));
    expect(made.metadata.labels).toEqual({
      [promotionLabels.author]: "a_b.c.d",
      [promotionLabels.releasedSnapshot]: "shop-1",
      [promotionLabels.releasePlan]: "released",
    });
    for (const label of [promotionLabels.author, promotionLabels.releasedSnapshot, promotionLabels.releasePlan]) {
      for (const value of ["other", null]) {
        const body = { metadata: { labels: { [label]: value } } };
        await expect(alice.patch(refOf(made), { type: "merge", body })).rejects.toThrow("never changes");
      }
    }
    const body = { metadata: { labels: { [promotionLabels.automated]: "true" } } };
    await expect(alice.patch(refOf(made), { type: "merge", body })).rejects.toThrow("never changes");
  });

  test("P39: a user name that no label can hold is cut after a letter or a digit", async () => {
    const user = client.impersonate({ user: `${"a".repeat(61)}::rest`, groups: ["system:masters"] });
    const made = await user.create(object(Release, "cut", released), { dryRun: true });
    expect(made.metadata.labels).toMatchObject({ [promotionLabels.author]: "a".repeat(61) });
  });

  test("an automated Release has no author of its own, and a forged one is refused", async () => {
    const labels = { [promotionLabels.automated]: "true" };
    const made = await client.create(object(Release, "automated", released, labels));
    expect(made.metadata.labels).not.toHaveProperty([promotionLabels.author]);
    const forged = object(Release, "forged", released, { ...labels, [promotionLabels.author]: "alice" });
    await expect(client.create(forged)).rejects.toThrow(promotionLabels.author);
  });

  test("names that are too long for a label are refused", async () => {
    const long = "a".repeat(64);
    for (const release of [
      object(Release, long, released),
      object(Release, "a", { ...released, snapshot: long }),
      object(Release, "a", { ...released, releasePlan: long }),
    ]) {
      await expect(client.create(release, { dryRun: true })).rejects.toThrow("63");
    }
  });
});

describe("ReleasePlans", () => {
  test("a plan releases by itself unless it says otherwise, and takes one owner", async () => {
    const made = await client.create(plan("plain", { mine: "yes" }));
    expect(made.metadata.labels).toEqual({ mine: "yes", [promotionLabels.autoRelease]: "true" });
    expect(made["spec"]).toMatchObject({ releaseGracePeriodDays: 7 });
    const manual = await client.create(plan("manual", { [promotionLabels.autoRelease]: "false" }));
    expect(manual.metadata.labels).toEqual({ [promotionLabels.autoRelease]: "false" });
    await expect(client.create(plan("both", {}, { application: "a", componentGroup: "b" }))).rejects.toThrow("either");
    await expect(client.create(plan("neither", {}, {}))).rejects.toThrow("either");
  });

  test("with standing attribution the author is the creator; without it there is none", async () => {
    const made = await alice.create(plan("standing", standing));
    expect(made.metadata.labels).toMatchObject({ [promotionLabels.author]: "alice" });
    const bob = client.impersonate({ user: "bob", groups: ["system:masters"] });
    const body = { spec: { data: { a: 1 } } };
    const changed = await bob.patch(refOf(made), { type: "merge", body });
    expect(changed.metadata.labels).toMatchObject({ [promotionLabels.author]: "alice" });
    const without = { metadata: { labels: { [promotionLabels.standingAttribution]: "false" } } };
    const lapsed = await bob.patch(refOf(made), { type: "merge", body: without });
    expect(lapsed.metadata.labels).not.toHaveProperty([promotionLabels.author]);
    const again = await bob.patch(refOf(made), { type: "merge", body: { metadata: { labels: standing } } });
    expect(again.metadata.labels).toMatchObject({ [promotionLabels.author]: "bob" });
  });

  test("another user cannot be made the author of a plan", async () => {
    await expect(alice.create(plan("forged", { ...standing, [promotionLabels.author]: "bob" }))).rejects.toThrow(
      '"alice", which is you',
    );
    const made = await alice.create(plan("changed", standing));
    const body = { metadata: { labels: { [promotionLabels.author]: "bob" } } };
    await expect(alice.patch(refOf(made), { type: "merge", body })).rejects.toThrow('"alice", which is you');
  });
});

describe("ReleasePlanAdmissions", () => {
  test("P34: block-releases is false unless it says otherwise, and any other word is refused", async () => {
    const made = await client.create(object(ReleasePlanAdmission, "plain", admission));
    expect(made.metadata.labels).toEqual({ [promotionLabels.blockReleases]: "false" });
    const maybe = { [promotionLabels.blockReleases]: "maybe" };
    await expect(client.create(object(ReleasePlanAdmission, "maybe", admission, maybe))).rejects.toThrow(
      promotionLabels.blockReleases,
    );
    await expect(client.patch(refOf(made), { type: "merge", body: { metadata: { labels: maybe } } })).rejects.toThrow(
      promotionLabels.blockReleases,
    );
  });

  test("P57: an environment is accepted", async () => {
    const made = await client.create(object(ReleasePlanAdmission, "old", { ...admission, environment: "production" }));
    expect(made["spec"]).toMatchObject({ environment: "production" });
  });

  test("an admission names either applications or component groups, and at least one", async () => {
    for (const change of [{ applications: [] }, { componentGroups: ["a"] }, { applications: undefined }]) {
      const given = object(ReleasePlanAdmission, "a", { ...admission, ...change });
      await expect(client.create(given, { dryRun: true })).rejects.toThrow("applications");
    }
  });
});

test("the rules of releases are valid as policies, for definitions of Konflux", async () => {
  const policies = [Release, ReleasePlan, ReleasePlanAdmission].flatMap((kind) => kindRulesPolicy(kind));
  const made = await Promise.all(policies.map((policy) => client.create(policy, { dryRun: true })));
  expect(made.map(({ kind }) => kind)).toEqual(policies.map(({ kind }) => kind));
});
