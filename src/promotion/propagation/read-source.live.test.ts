import { afterAll, beforeAll, expect, test } from "vitest";
import { installKinds } from "#crd";
import { type ForgeProxy, startForgeProxy, startShop, useGitea } from "#gitea";
import { usePropagation } from "#harness";
import { startGitServer } from "#git";
import { sampleRepository } from "../../git/sample-repository.fixture.ts";
import { promotionAnnotations, releaseConditions } from "../kinds/promotion-names.ts";
import { Release } from "../kinds/release.ts";
import { ReleasePlan } from "../kinds/release-plan.ts";
import { Snapshot } from "../kinds/snapshot.ts";

const world = usePropagation();
const gitea = await useGitea();
let forge: ForgeProxy;
const { signal } = new AbortController();
const image = "quay.io/acme/web";
const digest = (hex: string) => `sha256:${hex.repeat(64)}`;
const pipelineRef = { resolver: "builtin", params: [{ name: "name", value: "retag" }] };

beforeAll(async () => {
  forge = await startForgeProxy(gitea);
  await installKinds(world.client, [Release, ReleasePlan, Snapshot], { signal });
  for (const { apiVersion, kind } of [Release, ReleasePlan, Snapshot]) {
    await world.client.discovery.whenServed({ apiVersion, kind }, signal);
  }
});
afterAll(() => forge[Symbol.asyncDispose]());

async function plan(name: string): Promise<void> {
  const { apiVersion, kind } = ReleasePlan;
  const spec = { application: "shop", tenantPipeline: { pipelineRef, serviceAccountName: "appstudio-pipeline" } };
  await world.client.create({ apiVersion, kind, metadata: { namespace: world.namespace, name }, spec });
}

/** A Release that has given an image a tag. */
async function release(name: string, releasePlan: string, hex: string, tag = "released", of = image): Promise<void> {
  const { apiVersion, kind } = Release;
  const ref = { apiVersion, kind, namespace: world.namespace, name };
  const { namespace } = ref;
  const snapshot = `snapshot-of-${name}`;
  await world.client.create({ apiVersion, kind, metadata: { namespace, name }, spec: { snapshot, releasePlan } });
  const now = new Date().toISOString();
  const ended = { type: releaseConditions.released, status: "True", reason: "Succeeded", message: "" };
  const urls = [`${of}:${tag}`, `${of}:${tag}-${snapshot}`];
  const status = {
    completionTime: now,
    artifacts: { images: [{ name: "web", arches: [], oses: [], shasum: digest(hex), urls }] },
    conditions: [{ ...ended, lastTransitionTime: now }],
  };
  await world.client.patch(ref, { type: "merge", subresource: "status", body: { status } });
}

const branch = (tag: string) => `promotion/main/${tag}/stage`;
const ready = async (name: string) =>
  (await world.read(name)).status?.conditions?.find(({ type }) => type === "Ready")?.message;

test("P61: what the Releases of a plan have moved is proposed at once, with their names, and what other plans have is not", async () => {
  await using stack = new AsyncDisposableStack();
  const repository = stack.use(await sampleRepository());
  const git = stack.use(await startGitServer(repository.path));
  const files = { "a.yaml": `image: ${image}:validated\n`, "b.yaml": `image: ${image}:released\n` };
  await repository.commit(files);
  const stages = [{ name: "stage", repository: `${git.url}/.git`, branch: "main", forge: { kind: "plain" } }];
  for (const tag of ["validated", "released"]) {
    await plan(tag);
    await world.apply(tag, { source: { releasePlan: { name: tag, tag }, interval: "1h" }, stages });
  }
  const proposed = (tag: string) => {
    const isThere = repository.git("branch", "--list", branch(tag)) !== "";
    return isThere ? repository.git("diff", "--unified=0", "main", branch(tag)).match(/^[+]image.*$/gm) : undefined;
  };
  await expect.poll(() => ready("released")).toMatch(/no Release of ReleasePlan released has moved the tag released/);

  await release("one", "validated", "1", "validated");
  await expect.poll(() => proposed("validated")).toEqual([`+image: ${image}:validated@${digest("1")}`]);
  expect(proposed("released")).toBeUndefined();
  expect(repository.git("log", "-1", "--format=%s%n%(trailers:key=Release,key=Snapshot)", branch("validated"))).toBe(
    "Promote validated: web to 1111111\nRelease: one\nSnapshot: snapshot-of-one",
  );

  await release("two", "released", "1");
  await expect.poll(() => proposed("released")).toEqual([`+image: ${image}:released@${digest("1")}`]);
  await release("three", "validated", "2", "validated");
  await expect.poll(() => proposed("validated")).toEqual([`+image: ${image}:validated@${digest("2")}`]);
  expect(proposed("released")).toEqual([`+image: ${image}:released@${digest("1")}`]);
});

const pinned = (prefix: string) => ({ "app.yaml": `image: ${prefix}/web:released@${digest("a")}\n` });

/** A Snapshot that was built from a commit, with the results of its tests. */
async function snapshotOf(released: string, hex: string, of: string, tests: readonly object[]): Promise<void> {
  const { apiVersion, kind } = Snapshot;
  const times = { lastUpdateTime: "2026-01-02T03:04:05.000Z", details: "" };
  const annotations = {
    [promotionAnnotations.testStatus]: JSON.stringify(tests.map((each) => ({ ...times, ...each }))),
  };
  const git = { url: "https://git.example/acme/web.git", revision: hex.repeat(40) };
  const components = [{ name: "web", containerImage: `${of}@${digest(hex)}`, source: { git } }];
  const metadata = { namespace: world.namespace, name: `snapshot-of-${released}`, annotations };
  await world.client.create({ apiVersion, kind, metadata, spec: { application: "shop", components } });
}

test("a pull request shows the commits between two releases and the results of tests, and what a tenant wrote stays text", async () => {
  const { name: victim } = await gitea.createUser();
  const hostile = `x\` <img src=x onerror=alert(1)> @${victim} [a](https://evil.example) | **b**`;
  const source = { images: undefined, releasePlan: { name: "told" } };
  const registry = { url: new URL("http://127.0.0.1:1"), host: "reg.local" };
  await using shop = await startShop({
    world,
    gitea,
    forge,
    registry,
    files: pinned,
    source,
    settings: { labels: [] },
  });
  await plan("told");
  await snapshotOf("told-a", "a", shop.image, []);
  await release("told-a", "told", "a", "released", shop.image);
  await snapshotOf("told-b", "b", shop.image, [
    { scenario: "e2e", status: "TestPassed" },
    { scenario: hostile, status: "TestFail", isOptionalScenario: true },
  ]);
  await release("told-b", "told", "b", "released", shop.image);
  await shop.look();
  const pulls = async (): Promise<readonly { readonly body: string }[]> =>
    await gitea.expect("GET", `${shop.repository.path}/pulls`);
  await expect.poll(async () => (await pulls()).length).toBe(1);
  const [{ body } = { body: "" }] = await pulls();
  const commits = `https://git.example/acme/web/compare/${"a".repeat(40)}...${"b".repeat(40)}`;
  expect(body).toContain(`[\`git.example/acme/web@aaaaaaa...bbbbbbb\`](<${commits}>) |`);
  expect(body).toMatch(
    /- Release `told-b` of Snapshot `snapshot-of-told-b`: `x .*` \(optional\) has failed, `e2e` has passed\n/,
  );
  const Context = shop.repository.path.replace("/repos", "");
  const shown: string = await gitea.expect("POST", "/markdown", { Text: body, Mode: "comment", Context });
  expect([...shown.matchAll(/href="([^"]*)"/g)].map(([, address]) => address)).toEqual([commits]);
  expect(shown).toContain(`@${victim}`);
  expect(shown).not.toMatch(/<img|<b>|<strong>|class="mention"/);
});

const anywhere = [
  { name: "stage", repository: "https://git.example/a/b.git", branch: "main", forge: { kind: "plain" } },
];

test("a plan that does not exist, and an account without rights, are conditions with field and next step", async () => {
  await world.apply("lost", { source: { releasePlan: { name: "nope" } }, stages: anywhere });
  await expect
    .poll(() => ready("lost"))
    .toMatch(/^spec\.source\.releasePlan: ReleasePlan nope not found; name one of namespace propagate-/);
  await world.apply("forbidden", {
    source: { releasePlan: { name: "nope" } },
    stages: anywhere,
    serviceAccountName: "stranger",
  });
  await expect
    .poll(() => ready("forbidden"))
    .toMatch(
      /^spec\.source\.releasePlan: the service account .* may not read releases: .*; give it the right to get and/,
    );
});

test("a source has images or a plan, and not both", async () => {
  const both = { images: [{ repository: image, tag: "released" }], releasePlan: { name: "released" } };
  for (const source of [both, {}]) {
    await expect(world.apply("both", { source, stages: anywhere })).rejects.toThrow(
      /spec\.source.*expected either images or releasePlan/,
    );
  }
});
