import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { testKubeconfig, usePropagation } from "#harness";
import { SamplePusher, startEmbeddedRegistry, type TestRegistry } from "#registry";
import { startSampleGitops } from "../../promotion/propagation/sample-gitops.fixture.ts";
import { FakeShell } from "../fake-shell.fixture.ts";
import { runCommandLine } from "../run-command-line.ts";

const world = usePropagation();
let registry: TestRegistry;
beforeAll(async () => {
  registry = await startEmbeddedRegistry();
});
afterAll(() => registry[Symbol.asyncDispose]());

async function tenon(words: readonly string[], columns?: number) {
  const env = { NO_COLOR: "1", KUBECONFIG: testKubeconfig() };
  const shell = new FakeShell({ env, ...(columns === undefined ? {} : { isTTY: true, columns }) });
  const exitCode = await runCommandLine([...words], shell);
  return { exitCode, stdout: shell.stdout.text, stderr: shell.stderr.text };
}

let count = 0;

/** A repository with a directory for each stage, and a Propagation that follows one image into them. */
async function start(stages: readonly (Readonly<Record<string, unknown>> & { readonly name: string })[]) {
  const name = `web-${count++}`;
  const image = `${registry.host}/${name}/web`;
  const files = stages.map((stage) => [`${stage.name}/app.yaml`, `image: ${image}:released\n`]);
  const gitops = await startSampleGitops(Object.fromEntries(files));
  await world.createSecret(name, { token: gitops.token });
  const key = `${world.namespace}/${name}`;
  const branch = { repository: gitops.address, branch: "main", forge: { kind: "github", credentials: name } };
  const read = async (stage: string) =>
    (await world.read(name)).status?.stages?.find((status) => status.name === stage) ?? { proposals: [] };
  const look = () => world.controller.wake({ kind: "git", names: [gitops.address] });
  return {
    name,
    key,
    image,
    gitops,
    look,
    read,
    digestOf: (digest: string) => ({ digests: { [`${image}:released`]: digest } }),
    apply: () =>
      world.apply(name, {
        source: { images: [{ repository: image, tag: "released" }], interval: "1h" },
        stages: stages.map((stage) => ({ ...branch, paths: [stage.name], ...stage })),
      }),
    async release(tag = "released") {
      const { digest } = await new SamplePusher(registry.url, `${name}/web`).index(tag);
      look();
      return digest;
    },
    /** The state of a stage, which is looked at until it is as expected. */
    async expectStage(stage: string, expected: object) {
      await expect
        .poll(async () => {
          look();
          return read(stage);
        })
        .toMatchObject(expected);
    },
    /** Merges as a person does. */
    async merge(stage: string) {
      const number = (await read(stage)).proposals[0]?.pullRequest?.number ?? 0;
      gitops.merge(number);
      look();
      return number;
    },
    /** Rolls out as a GitOps tool does. */
    async deploy(stage: string, digest: string, template: object = {}) {
      const labels = { app: `${name}-${stage}` };
      const containers = [{ name: "web", image: `${image}:released@${digest}` }];
      await world.client.apply(
        {
          apiVersion: "apps/v1",
          kind: "Deployment",
          metadata: { namespace: world.namespace, name: `${name}-${stage}` },
          spec: {
            progressDeadlineSeconds: 1,
            selector: { matchLabels: labels },
            template: { metadata: { labels }, spec: { containers, ...template } },
          },
        },
        { fieldManager: "gitops", force: true },
      );
      look();
    },
    [Symbol.asyncDispose]: async () => {
      const { namespace } = world;
      await world.client.delete({ apiVersion: "tenon.dev/v1alpha1", kind: "Propagation", namespace, name });
      await gitops[Symbol.asyncDispose]();
    },
  };
}

const short = (digest: string) => digest.slice(7, 14);
const healthOf = (name: string) => [{ apiVersion: "apps/v1", kind: "Deployment", name }];
const nowhere = { nodeSelector: { "no-such": "node" } };

describe("stages", () => {
  test("P69: a merged digest shows as running with the time, a red stage holds the next, and a rollback proposes the one before", async () => {
    await using shop = await start([
      { name: "stage", health: healthOf(`web-${count}-stage`) },
      { name: "production", health: healthOf(`web-${count}-production`), after: { stage: "stage" } },
    ]);
    const first = await shop.release();
    await shop.apply();
    await shop.expectStage("stage", { state: "Proposed" });
    await shop.merge("stage");
    await shop.expectStage("stage", { state: "UpToDate", merged: shop.digestOf(first), health: { state: "Unknown" } });
    expect(await shop.read("production")).toMatchObject({ state: "Waiting", proposals: [] });
    await shop.deploy("stage", first);
    await shop.expectStage("stage", {
      running: { ...shop.digestOf(first), since: expect.stringMatching(/^20.*Z$/) },
      health: { state: "Healthy" },
    });
    await shop.expectStage("production", { state: "Proposed", target: shop.digestOf(first) });
    await shop.merge("production");
    await shop.deploy("production", first);
    await shop.expectStage("production", { running: shop.digestOf(first) });

    const second = await shop.release();
    await shop.expectStage("stage", { state: "Proposed", target: shop.digestOf(second) });
    await shop.merge("stage");
    await shop.deploy("stage", second, nowhere);
    await shop.expectStage("stage", {
      health: { state: "Red" },
      merged: shop.digestOf(second),
      running: shop.digestOf(first),
    });
    await shop.expectStage("production", {
      state: "Held",
      target: shop.digestOf(first),
      message: expect.stringMatching(/^stage stage is red: Deployment .*-stage: .*; repair it, or roll it back$/),
    });
    const before = shop.gitops.forge.pulls.length;

    const asked = await tenon(["promote", "rollback", shop.key, "--stage", "stage", "--yes"]);
    expect(asked).toMatchObject({ exitCode: 0, stderr: "" });
    expect(asked.stdout).toContain(`  web: ${short(second)} -> ${short(first)}, there since`);
    await shop.expectStage("stage", { state: "Proposed", target: shop.digestOf(first) });
    expect(shop.gitops.forge.pulls).toHaveLength(before + 1);
    expect(shop.gitops.forge.pulls.at(-1)?.title).toBe(`Roll back ${shop.name}: web to ${short(first)}`);
    await shop.merge("stage");
    await shop.deploy("stage", first);
    await shop.expectStage("stage", {
      state: "UpToDate",
      running: shop.digestOf(first),
      message: `rolled back from ${short(second)} to ${short(first)} until a newer image is released`,
      history: [{ ...shop.digestOf(second), rolledBack: true }, shop.digestOf(first)],
    });
    await shop.expectStage("production", { state: "Held", message: expect.stringContaining("is rolled back") });
    expect(shop.gitops.forge.pulls).toHaveLength(before + 1);

    const third = await shop.release();
    await shop.expectStage("stage", { state: "Proposed", target: shop.digestOf(third) });
    await shop.merge("stage");
    await shop.deploy("stage", third);
    await shop.expectStage("production", { state: "Proposed", target: shop.digestOf(third) });
    expect(await shop.read("stage")).toMatchObject({ rollback: { images: [{ ended: expect.anything() }] } });
  });

  test("a rollback is asked for once, goes further back each time, and is undone by the user", async () => {
    await using shop = await start([{ name: "stage" }]);
    await shop.apply();
    const digests: string[] = [];
    for (let release = 0; release < 3; release++) {
      digests.push(await shop.release());
      await shop.expectStage("stage", { state: "Proposed", target: shop.digestOf(digests.at(-1) ?? "") });
      await shop.merge("stage");
      await shop.expectStage("stage", { state: "UpToDate", merged: shop.digestOf(digests.at(-1) ?? "") });
    }
    const [first = "", second = "", third = ""] = digests;
    const rollback = (...words: string[]) => tenon(["promote", "rollback", shop.key, "--yes", ...words]);
    expect((await rollback("--undo")).stdout).toBe("stage stage is not rolled back\n");
    expect((await rollback()).stdout).toContain("stage stage goes back;");
    await shop.expectStage("stage", { state: "Proposed", target: shop.digestOf(second) });
    expect((await rollback()).stdout).toContain("stage stage goes back to them already;");
    await shop.merge("stage");
    await shop.expectStage("stage", { state: "UpToDate", merged: shop.digestOf(second) });

    expect((await rollback()).stdout).toContain(`web: ${short(second)} -> ${short(first)}`);
    await shop.expectStage("stage", { state: "Proposed", target: shop.digestOf(first) });
    await shop.merge("stage");
    await shop.expectStage("stage", { state: "UpToDate", merged: shop.digestOf(first) });
    const further = await rollback();
    expect(further.exitCode).toBe(1);
    expect(further.stderr).toContain("stage stage has had no other digests since Tenon follows it");

    expect((await rollback("--undo")).stdout).toContain("stage stage goes on;");
    await shop.expectStage("stage", { state: "Proposed", target: shop.digestOf(third) });
    expect(await shop.read("stage")).not.toHaveProperty("rollback");
  });

  test("a stage goes back although the stage before it is red", async () => {
    await using shop = await start([
      { name: "stage", health: healthOf(`web-${count}-stage`) },
      { name: "production", after: { stage: "stage" } },
    ]);
    await shop.apply();
    const digests: string[] = [];
    for (let release = 0; release < 2; release++) {
      const digest = await shop.release();
      digests.push(digest);
      await shop.deploy("stage", digest);
      for (const stage of ["stage", "production"]) {
        await shop.expectStage(stage, { state: "Proposed", target: shop.digestOf(digest) });
        await shop.merge(stage);
      }
      await shop.expectStage("production", { merged: shop.digestOf(digest) });
    }
    const [first = "", second = ""] = digests;
    await shop.deploy("stage", second, nowhere);
    await shop.expectStage("production", { state: "Held" });
    expect((await tenon(["promote", "rollback", shop.key, "--stage", "production", "-y"])).exitCode).toBe(0);
    await shop.expectStage("production", { state: "Proposed", target: shop.digestOf(first) });
    expect(shop.gitops.forge.pulls.at(-1)?.title).toMatch(/^Roll back/);
  });

  test.for([
    { words: [], says: "expected one of the stages stage, production" },
    { words: ["--stage", "prod"], says: "the stages are stage, production" },
    { words: ["--stage", "stage"], says: "stage stage has merged no digest that Tenon knows of" },
  ])("`tenon promote rollback` $words: $says", async ({ words, says }) => {
    await using shop = await start([{ name: "stage" }, { name: "production", after: { stage: "stage" } }]);
    await shop.apply();
    const refused = await tenon(["promote", "rollback", shop.key, ...words]);
    expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(says) });
  });

  test("`tenon promote rollback` names the command that lists all if there is no such Propagation", async () => {
    const refused = await tenon(["promote", "rollback", `${world.namespace}/nope`]);
    expect(refused.stderr).toContain("`tenon get propagations --all-namespaces` lists all");
  });
});
