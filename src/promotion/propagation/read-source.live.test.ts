import { beforeAll, expect, test } from "vitest";
import { installKinds } from "#crd";
import { usePropagation } from "#harness";
import { startGitServer } from "#git";
import { sampleRepository } from "../../git/sample-repository.fixture.ts";
import { releaseConditions } from "../kinds/promotion-names.ts";
import { Release } from "../kinds/release.ts";
import { ReleasePlan } from "../kinds/release-plan.ts";

const world = usePropagation();
const { signal } = new AbortController();
const image = "quay.io/acme/web";
const digest = (hex: string) => `sha256:${hex.repeat(64)}`;
const pipelineRef = { resolver: "builtin", params: [{ name: "name", value: "retag" }] };

beforeAll(async () => {
  await installKinds(world.client, [Release, ReleasePlan], { signal });
  for (const { apiVersion, kind } of [Release, ReleasePlan]) {
    await world.client.discovery.whenServed({ apiVersion, kind }, signal);
  }
});

async function plan(name: string): Promise<void> {
  const { apiVersion, kind } = ReleasePlan;
  const spec = { application: "shop", tenantPipeline: { pipelineRef, serviceAccountName: "appstudio-pipeline" } };
  await world.client.create({ apiVersion, kind, metadata: { namespace: world.namespace, name }, spec });
}

/** A Release that has given the image a tag. */
async function release(name: string, releasePlan: string, hex: string, tag = "released"): Promise<void> {
  const { apiVersion, kind } = Release;
  const ref = { apiVersion, kind, namespace: world.namespace, name };
  const { namespace } = ref;
  const snapshot = `snapshot-of-${name}`;
  await world.client.create({ apiVersion, kind, metadata: { namespace, name }, spec: { snapshot, releasePlan } });
  const now = new Date().toISOString();
  const ended = { type: releaseConditions.released, status: "True", reason: "Succeeded", message: "" };
  const urls = [`${image}:${tag}`, `${image}:${tag}-${snapshot}`];
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
