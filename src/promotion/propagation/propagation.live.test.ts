import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { usePropagation } from "#harness";
import { SamplePusher, startEmbeddedRegistry, type TestRegistry } from "#registry";
import { type SampleGitops, startSampleGitops } from "./sample-gitops.fixture.ts";

const world = usePropagation();
let registry: TestRegistry;
beforeAll(async () => {
  registry = await startEmbeddedRegistry();
});
afterAll(() => registry[Symbol.asyncDispose]());

let count = 0;

/** A repository on a forge, a Propagation of one stage, and an image to release. */
async function start(
  files: (image: string) => Readonly<Record<string, string>>,
  stage: Readonly<Record<string, unknown>> = {},
  components: readonly string[] = ["web"],
) {
  const name = `shop-${count++}`;
  const images = components.map((component) => `${registry.host}/${name}/${component}`);
  const release = async (component = components[0] ?? "") =>
    (await new SamplePusher(registry.url, `${name}/${component}`).index("released")).digest;
  const gitops = await startSampleGitops(files(`${registry.host}/${name}`));
  await world.createSecret(name, { token: gitops.token });
  const stages = [
    {
      name: "stage",
      repository: gitops.address,
      branch: "main",
      forge: { kind: "github", credentials: name },
      ...stage,
    },
  ];
  const spec = {
    source: { images: images.map((repository) => ({ repository, tag: "released" })), interval: "1h" },
    stages,
  };
  return {
    name,
    gitops,
    images,
    release,
    spec,
    branch: `promotion/main/${name}/stage`,
    apply: (changes: object = {}) => world.apply(name, { ...spec, ...changes }),
    /** A webhook of registry or forge does this. */
    look: () => world.controller.wake({ kind: "git", names: [gitops.address] }),
    status: async () => (await world.read(name)).status?.stages?.[0],
    ready: async () => (await world.read(name)).status?.conditions?.find(({ type }) => type === "Ready"),
    [Symbol.asyncDispose]: async () => {
      await world.client.delete({
        apiVersion: "tenon.dev/v1alpha1",
        kind: "Propagation",
        namespace: world.namespace,
        name,
      });
      await gitops[Symbol.asyncDispose]();
    },
  };
}

const deployment = (image: string) => ({ "app.yaml": `image: ${image}/web:released # moves\n` });
const pulls = ({ forge }: SampleGitops) => forge.pulls.map(({ number, state, title }) => ({ number, state, title }));
const short = (digest: string) => digest.slice(7, 14);

describe("a Propagation of one stage", () => {
  test("P46: a release becomes one pull request of one commit that changes digests alone", async () => {
    await using shop = await start((image) => ({
      "deploy.yaml": `# keep\nspec:\n  image: "${image}/web:released"   # moves\n`,
      "kustomization.yaml": `images:\n- name: ${image}/web\n  newTag: released\n`,
      "values.yaml": `image: {repository: ${image}/web, tag: released} # one line\r\nother: 1\r\n`,
      "pinned.yaml": `image: ${image}/web:v1\n`,
      "foreign.yaml": `image: other.example/web:released\n`,
    }));
    const digest = await shop.release();
    await shop.apply();
    await expect.poll(() => pulls(shop.gitops)).toHaveLength(1);
    const { repository, forge } = shop.gitops;
    expect(repository.git("rev-list", "--count", `main..${shop.branch}`)).toBe("1");
    const diff = repository.git("diff", "--unified=0", "main", shop.branch).split("\n");
    expect(diff.filter((line) => /^[+][^+]/.test(line)).map((line) => line.replaceAll(digest, "D"))).toEqual([
      `+  image: "${shop.images[0]}:released@D"   # moves`,
      "+  newTag: released@D",
      `+image: {repository: ${shop.images[0]}, tag: released@D} # one line\r`.trimEnd(),
    ]);
    expect(repository.git("log", "-1", "--format=%an <%ae>%n%B", shop.branch)).toBe(
      `Tenon <tenon@localhost>\nPromote ${shop.name}: web to ${short(digest)}\n\nPropagation: ${world.namespace}/${shop.name}\nStage: stage\nImage: ${shop.images[0]}:released@${digest}`,
    );
    expect(forge.pulls[0]).toMatchObject({ title: `Promote ${shop.name}: web to ${short(digest)}`, base: "main" });
    expect(forge.pulls[0]?.body).toContain(digest);
    await expect.poll(shop.status).toMatchObject({
      state: "Proposed",
      message: "merge pull request 1, or close it to decline",
      target: { digests: { [`${shop.images[0]}:released`]: digest } },
    });
    await expect.poll(shop.ready).toMatchObject({ status: "True", message: "stage: Proposed" });
  });

  test("P47: a newer release replaces the commit in the same pull request, and without a change nothing is written", async () => {
    await using shop = await start(deployment);
    const first = await shop.release();
    await shop.apply();
    await expect.poll(shop.status).toMatchObject({ state: "Proposed" });
    await shop.gitops.repository.commit({ "other.yaml": "a: 1\n" });
    const second = await shop.release();
    shop.look();
    await expect.poll(() => shop.gitops.forge.pulls[0]?.title).toContain(short(second));
    await expect.poll(shop.status).toMatchObject({ state: "Proposed", target: { digests: expect.anything() } });
    expect(pulls(shop.gitops)).toHaveLength(1);
    const { repository } = shop.gitops;
    expect(repository.git("rev-list", "--count", `main..${shop.branch}`)).toBe("1");
    expect(repository.git("merge-base", "main", shop.branch)).toBe(repository.git("rev-parse", "main"));
    expect(shop.gitops.forge.pulls[0]?.body).toMatch(new RegExp(`Superseded[^]*${short(first)}`));

    await expect
      .poll(async () => (await shop.status())?.proposals[0]?.finished)
      .toBe(repository.git("rev-parse", shop.branch));
    const version = async () => (await world.read(shop.name)).metadata.resourceVersion;
    const [before, asked] = [await version(), shop.gitops.requests.length];
    shop.look();
    await expect.poll(() => shop.gitops.requests.length).toBeGreaterThan(asked + 2);
    await expect.poll(() => world.controller.controllers[0]?.running()).toEqual([]);
    expect(shop.gitops.requests.slice(asked).filter((line) => !/ GET | POST .*upload-pack/.test(line))).toEqual([]);
    expect(await version()).toBe(before);
  });

  test("P48: after a person pushed to the branch, Tenon leaves it alone and says so once", async () => {
    await using shop = await start(deployment);
    await shop.release();
    await shop.apply();
    await expect.poll(shop.status).toMatchObject({ state: "Proposed" });
    const { repository, forge } = shop.gitops;
    repository.git("switch", "--quiet", shop.branch);
    const theirs = await repository.commit({ "by-hand.yaml": "a: 1\n" });
    repository.git("switch", "--quiet", "main");
    await shop.release();
    shop.look();
    await expect
      .poll(shop.status)
      .toMatchObject({ state: "Manual", message: expect.stringContaining("merge or close") });
    shop.look();
    await shop.release();
    shop.look();
    await expect
      .poll(async () => (await world.read(shop.name)).status?.stages?.[0]?.proposals[0]?.takenOver)
      .toBe(theirs);
    expect(repository.git("rev-parse", shop.branch)).toBe(theirs);
    expect(forge.pulls[0]?.comments).toHaveLength(1);
    expect([...(forge.pulls[0]?.labels ?? [])]).toEqual(["promotion/manual"]);
  });

  test("P49: a closed pull request declines its digest and no other, and a merged one ends with its branch", async () => {
    await using shop = await start(deployment);
    const declined = await shop.release();
    await shop.apply();
    await expect.poll(shop.status).toMatchObject({ state: "Proposed" });
    const [closed] = shop.gitops.forge.pulls;
    if (closed) closed.state = "closed";
    shop.look();
    await expect.poll(shop.status).toMatchObject({ state: "Declined" });
    expect((await shop.status())?.proposals[0]?.declined).toEqual([{ [`${shop.images[0]}:released`]: declined }]);
    shop.look();
    const next = await shop.release();
    shop.look();
    await expect.poll(shop.status).toMatchObject({ state: "Proposed", proposals: [{ pullRequest: { number: 2 } }] });
    expect(pulls(shop.gitops)).toHaveLength(2);
    shop.gitops.merge(2);
    shop.look();
    await expect.poll(shop.status).toMatchObject({
      state: "UpToDate",
      merged: {
        digests: { [`${shop.images[0]}:released`]: next },
        commit: "d".repeat(40),
        since: "2026-01-01T00:00:00Z",
      },
    });
    expect(shop.gitops.repository.git("branch", "--list", shop.branch)).toBe("");
    expect(pulls(shop.gitops)).toHaveLength(2);
    const { body } = await world.metrics.expose();
    expect(body).toContain('promotion_propagation_pr_total{forge="github",outcome="merged"} 1');
  });

  test("P49: a pull request is closed with a note when the base has its digests already", async () => {
    await using shop = await start(deployment);
    const digest = await shop.release();
    await shop.apply();
    await expect.poll(shop.status).toMatchObject({ state: "Proposed" });
    await shop.gitops.repository.commit({ "app.yaml": `image: ${shop.images[0]}:released@${digest}\n` });
    shop.look();
    await expect.poll(shop.status).toMatchObject({ state: "UpToDate" });
    expect(pulls(shop.gitops)).toMatchObject([{ number: 1, state: "closed" }]);
    expect(shop.gitops.forge.pulls[0]?.comments[0]?.body).toContain("has these digests already");
    expect(shop.gitops.repository.git("branch", "--list", shop.branch)).toBe("");
    await shop.gitops.repository.commit(deployment(`${registry.host}/${shop.name}`));
    shop.look();
    await expect.poll(() => pulls(shop.gitops)).toMatchObject([{ state: "closed" }, { number: 2, state: "open" }]);
  });

  test("P50: three components go into one pull request, which lists the one that no file refers to", async () => {
    await using shop = await start(
      (image) => ({ "all.yaml": `- image: ${image}/web:released\n- image: ${image}/api:released\n` }),
      {},
      ["web", "api", "batch"],
    );
    for (const component of ["web", "api", "batch"]) await shop.release(component);
    await shop.apply();
    await expect.poll(() => pulls(shop.gitops)).toMatchObject([{ title: `Promote ${shop.name} (2 components)` }]);
    expect(shop.gitops.forge.pulls[0]?.body).toMatch(/Not referenced in this repository:\n\n- `[^`]*\/batch:released`/);
  });

  test("P51: another tag, another registry and a Helm template stay as they are, and the condition names what to do", async () => {
    await using shop = await start((image) => ({
      "v1.yaml": `image: ${image}/web:v1\n`,
      "foreign.yaml": `image: other.example/${image.split("/")[1]}/web:released\n`,
    }));
    await shop.release();
    await shop.apply();
    await expect.poll(shop.ready).toMatchObject({
      status: "False",
      message: expect.stringMatching(
        /spec\.stages\[stage\]\.paths: no file of branch main refers to .*; write the references/,
      ),
    });
    expect(pulls(shop.gitops)).toEqual([]);
    await shop.gitops.repository.commit({ "chart/templates/a.yaml": `image: ${shop.images[0]}:released\n{{ end }}\n` });
    shop.look();
    await expect.poll(shop.ready).toMatchObject({ message: expect.stringContaining("a Helm template is not edited") });
    expect(shop.gitops.requests.filter((line) => line.includes("receive-pack"))).toEqual([]);
  });

  test("P53: a forge that asks to wait gets exactly one pull request later", async () => {
    await using shop = await start(deployment);
    await shop.release();
    shop.gitops.forge.refusals.push({ status: 429, headers: { "retry-after": "1" }, body: { message: "slow down" } });
    await shop.apply();
    await expect.poll(shop.status).toMatchObject({ state: "Proposed" });
    expect(pulls(shop.gitops)).toHaveLength(1);
  });

  test("P53: a revoked token is a condition with the next step, without a loop and without the token", async () => {
    await using shop = await start(deployment);
    await shop.release();
    for (let times = 0; times < 50; times++)
      shop.gitops.forge.refusals.push({ status: 401, body: { message: "Bad credentials" } });
    await shop.apply();
    await expect
      .poll(shop.ready)
      .toMatchObject({ status: "False", message: expect.stringContaining("not valid any more") });
    const { conditions = [], stages } = (await world.read(shop.name)).status ?? {};
    expect(conditions.map(({ type }) => type).toSorted()).toEqual(["Ready", "Stalled"]);
    expect(stages?.[0]).toMatchObject({ state: "Failed" });
    expect(shop.gitops.requests).toHaveLength(1);
    expect(JSON.stringify(await world.read(shop.name))).not.toContain(shop.gitops.token);
  });
});
