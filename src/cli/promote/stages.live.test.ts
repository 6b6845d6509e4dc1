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
  const shell = new FakeShell({ env, ...(columns === undefined ? {} : { columns }) });
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
      const kind = { apiVersion: "tenon.dev/v1alpha1", kind: "Propagation", namespace: world.namespace };
      const { items } = await world.client.list(kind);
      for (const { metadata } of items.filter((one) => `${one.metadata.name}-`.startsWith(`${name}-`))) {
        await world.client.delete({ ...kind, name: metadata.name });
      }
      await gitops[Symbol.asyncDispose]();
    },
  };
}

const short = (digest: string) => digest.slice(7, 14);
const healthOf = (name: string) => [{ apiVersion: "apps/v1", kind: "Deployment", name }];
const nowhere = { nodeSelector: { "no-such": "node" } };

describe("stages", () => {
  test("P61: each of two tags is proposed to its own stage only", async () => {
    await using shop = await start([{ name: "integration" }, { name: "production" }]);
    const { name, image, gitops } = shop;
    await gitops.repository.commit({ "integration/app.yaml": `image: ${image}:validated\n` });
    const tags = { validated: "integration", released: "production" } as const;
    const validated = await shop.release("validated");
    const released = await shop.release("released");
    for (const [tag, stage] of Object.entries(tags)) {
      const forge = { kind: "github", credentials: name };
      await world.apply(`${name}-${tag}`, {
        source: { images: [{ repository: image, tag }], interval: "1h" },
        stages: [{ name: stage, repository: gitops.address, branch: "main", forge }],
      });
    }
    const branchOf = (tag: keyof typeof tags) => `promotion/main/${name}-${tag}/${tags[tag]}`;
    const heads = () => gitops.forge.pulls.filter(({ state }) => state === "open").map(({ head }) => head);
    await expect.poll(() => heads().toSorted()).toEqual([branchOf("released"), branchOf("validated")]);
    const changed = (tag: keyof typeof tags) =>
      gitops.repository.git("diff", "--unified=0", "main", branchOf(tag)).match(/^[+](?:[+][+] .*|image.*)$/gm);
    expect(changed("validated")).toEqual(["+++ b/integration/app.yaml", `+image: ${image}:validated@${validated}`]);
    expect(changed("released")).toEqual(["+++ b/production/app.yaml", `+image: ${image}:released@${released}`]);

    const before = gitops.repository.git("rev-parse", branchOf("released"));
    const next = await shop.release("validated");
    await expect.poll(() => changed("validated")).toContain(`+image: ${image}:validated@${next}`);
    expect(gitops.repository.git("rev-parse", branchOf("released"))).toBe(before);
    expect(gitops.forge.pulls).toHaveLength(2);
  });

  test("`tenon get` and `tenon explain` fit 80 columns, and trouble comes first", async () => {
    await using fine = await start([{ name: "stage" }]);
    await using broken = await start([
      { name: "stage", branch: "nope" },
      { name: "production", after: { stage: "stage" } },
    ]);
    for (const shop of [fine, broken]) {
      await shop.release();
      await shop.apply();
    }
    await fine.expectStage("stage", { state: "Proposed" });
    await broken.expectStage("stage", { state: "Failed" });
    const listed = await tenon(["get", "propagations", "-n", world.namespace], 80);
    const [table = ""] = listed.stdout.split("\n\n");
    const words = table.split("\n").map((line) => line.split(/ +/).slice(1, 4).join(" "));
    const rows = words.filter((line) => / (stage|production) /.test(line));
    const own = rows.filter((row) => row.startsWith(`${fine.name} `) || row.startsWith(`${broken.name} `));
    expect(own).toEqual([
      `${broken.name} stage Failed`,
      `${broken.name} production Waiting`,
      `${fine.name} stage Proposed`,
    ]);
    expect(listed.stdout).toContain("next: spec.stages[stage].branch");
    expect(listed.stdout).not.toContain("caused by");
    const explained = await tenon(["explain", `propagation/${broken.key}`], 80);
    expect(explained.stdout).toMatch(
      /Stage stage: Failed since .*\n  in: branch nope of .*\n(?:.*\n)*  next: spec.stages\[stage\].branch/,
    );
    expect(explained.stdout).toContain("Stage production: Waiting");
    const shown = await tenon(["explain", `propagation/${fine.key}`], 80);
    expect(shown.stdout).toContain("  proposed: pull request 1, open: ");
    const texts = [listed.stdout, explained.stdout, shown.stdout].join("\n").split("\n");
    // What has no space cannot be divided: an address, or the name of an image.
    expect(texts.filter((line) => line.length > 80 && / \S+ \S/.test(line.trim()) && !/\S{60}/.test(line))).toEqual([]);
  });

  test.for(["nope", "a"])("an `after` of stage a that names %s is refused by the API server", async (stage) => {
    await using shop = await start([{ name: "a", after: { stage } }, { name: "b" }]);
    await expect(shop.apply()).rejects.toThrow("after.stage must name another stage of this list");
  });

  test("stages that wait for each other are a condition that names them, and nothing is proposed", async () => {
    await using shop = await start([
      { name: "a", after: { stage: "b" } },
      { name: "b", after: { stage: "a" } },
    ]);
    await shop.release();
    await shop.apply();
    await expect
      .poll(async () => (await world.read(shop.name)).status?.conditions?.find(({ type }) => type === "Stalled"))
      .toMatchObject({
        status: "True",
        reason: "InvalidSpec",
        message:
          "spec.stages[a].after: the stages a, b wait for each other; remove `after` from the stage that comes first",
      });
    expect(shop.gitops.requests).toEqual([]);
  });

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
    const explained = await tenon(["explain", `propagation/${shop.key}`, "-o", "json"]);
    expect(JSON.parse(explained.stdout)).toMatchObject({
      propagation: shop.key,
      source: shop.digestOf(second),
      stages: [
        {
          stage: "stage",
          target: shop.digestOf(second),
          pullRequests: [{ number: 3, state: "merged", url: expect.stringMatching(/^http/) }],
          merged: shop.digestOf(second),
          running: { ...shop.digestOf(first), since: expect.anything() },
          health: { state: "Red", since: expect.anything() },
        },
        { stage: "production", after: { stage: "stage" }, next: expect.stringContaining("stage stage is red") },
      ],
    });

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
