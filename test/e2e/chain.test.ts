import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { readRaw } from "#registry";
import { describeArrows } from "./chain/describe-arrows.ts";
import { type ChainWorld, startChain } from "./chain/start-chain.ts";
import { useTekton } from "./use-tekton.ts";

const world = useTekton("chain");
const polling = { interval: 500 };
let chain: ChainWorld;

beforeAll(async () => {
  chain = await startChain(world);
});
afterAll(() => chain?.[Symbol.asyncDispose]());

const Pull = z.object({ created_at: z.string(), merged_at: z.string() });
const Answer = z.looseObject({});
const Rows = z.array(z.looseObject({ state: z.string().optional() }));

/** What `tenon get` lists. */
async function get(kind: string, namespace = chain.tenant): Promise<z.infer<typeof Rows>> {
  return Rows.parse(await ask("get", kind, "-n", namespace));
}

/** What `tenon explain` says of an object of the team. */
function explain(kind: string, name: unknown): Promise<unknown> {
  return ask("explain", `${kind}/${chain.tenant}/${String(name)}`);
}

async function ask(...words: readonly string[]): Promise<unknown> {
  return JSON.parse(await world.tenon(...words, "--instance", world.instance, "-o", "json"));
}

/** What Gitea shows at a commit: the last status of each program that reports. */
async function statusesOf(commit: string): Promise<Readonly<Record<string, string>>> {
  const Combined = z.object({ statuses: z.array(z.object({ context: z.string(), status: z.string() })).nullable() });
  const path = `${chain.source.path}/commits/${commit}/status`;
  const { statuses } = Combined.parse(await chain.gitea.expect("GET", path));
  return Object.fromEntries((statuses ?? []).map(({ context, status }) => [context.replace(/ \/ .*/, ""), status]));
}

/** The Snapshot of a commit, with its tests, once they have ended. */
async function testedSnapshot(commit: string, state: "Passed" | "Failed") {
  const Explained = z.looseObject({ state: z.string(), components: z.array(z.looseObject({ image: z.string() })) });
  let found: z.infer<typeof Explained> | undefined;
  const look = async () => {
    for (const { snapshot } of await get("snapshots")) {
      const explained = Explained.parse(await explain("snapshot", snapshot));
      if (explained.components[0]?.["commit"] === commit) found = explained;
    }
    return found;
  };
  await expect.poll(look, { ...polling, message: `the Snapshot of ${commit}` }).toMatchObject({ state });
  const { components, ...rest } = found ?? Explained.parse({});
  const digest = components[0]?.image.split("@")[1] ?? "";
  return { ...rest, name: String(rest["snapshot"]).split("/")[1] ?? "", digest };
}

/** What the Socket has noted of the Plug, which says what runs. */
async function catalog(): Promise<string | undefined> {
  const ref = { apiVersion: "v1", kind: "ConfigMap", namespace: chain.stage, name: "catalog" };
  const found = await world.client.find(ref);
  return z.object({ web: z.string() }).safeParse(found?.["data"]).data?.web;
}

/** Of the environments that tests have had. */
async function claimPhases(): Promise<unknown[]> {
  return (await get("claims")).map(({ phase }) => phase);
}

async function pullRequests(): Promise<readonly { readonly number: number; readonly state: string }[]> {
  const Pulls = z.array(z.object({ number: z.int(), state: z.string() }));
  return Pulls.parse(await chain.gitea.expect("GET", `${chain.data.path}/pulls?state=all`));
}

/** What a Release would change. */
async function released(): Promise<object> {
  return {
    releases: (await get("releases")).map(({ release }) => release),
    digest: (await readRaw(registryUrl(), "shop/web", "released"))?.digest,
    pullRequests: await pullRequests(),
    runs: await catalog(),
  };
}

function registryUrl(): URL {
  return new URL(`http://${world.registry}`);
}

test("a push to Gitea becomes an image, a Snapshot that passes in an environment of its own, a Release, a pull request, and after its merge what runs, with its Plug", async () => {
  await expect.poll(catalog, polling).toBe(chain.firstDigest);
  expect(await get("plugs", chain.stage)).toMatchObject([{ name: "web", state: "Coupled" }]);

  const greet = "export const greet = (name) => ['hello', name].join(' ');\n";
  const commit = await chain.gitea.commit(chain.source, { "app/greet.mjs": greet });
  await expect.poll(() => statusesOf(commit), polling).toMatchObject({ "Pipelines as Code CI": "success" });

  const { name: snapshot, digest, ...tested } = await testedSnapshot(commit, "Passed");
  expect(tested).toMatchObject({
    from: expect.stringMatching(/^the build PipelineRun web-push-/),
    tests: [{ scenario: "in-an-environment", status: "TestPassed" }],
  });
  expect(digest).not.toBe(chain.firstDigest);
  expect(JSON.stringify(tested)).toMatch(/in env-[0-9a-f]{16} answers: hello parcel/);
  await expect.poll(claimPhases, polling).toEqual(["Released"]);

  await expect.poll(() => get("releases"), polling).toMatchObject([{ snapshot, state: "Released" }]);
  const [{ release } = Answer.parse({})] = await get("releases");
  for (const tag of ["released", `released-${snapshot}`]) {
    expect(await readRaw(registryUrl(), "shop/web", tag)).toMatchObject({ digest });
  }

  await expect.poll(pullRequests, polling).toMatchObject([{ state: "open" }]);
  const [{ number } = { number: 0 }] = await pullRequests();
  const files = await chain.gitea.expect("GET", `${chain.data.path}/pulls/${number}/files`);
  expect(files).toMatchObject([{ filename: "environments/stage.yml", additions: 1, deletions: 1 }]);
  const merge = { Do: "merge" };
  await chain.gitea.expect("POST", `${chain.data.path}/pulls/${number}/merge`, merge, chain.data.owner.token);

  await expect.poll(catalog, polling).toBe(digest);
  expect(await get("plugs", chain.stage)).toMatchObject([{ name: "web", state: "Coupled" }]);
  await expect.poll(() => get("environments"), polling).toMatchObject([{ merged: digest, running: digest }]);
  await expect
    .poll(() => explain("release", release), polling)
    .toMatchObject({
      commits: [{ component: "web", commit }],
      stages: [{ stage: "stage", pullRequests: [{ number, state: "merged" }] }],
      rollouts: [{ component: "web", state: "Running" }],
      waitsFor: "nothing",
    });
  const pull = Pull.parse(await chain.gitea.expect("GET", `${chain.data.path}/pulls/${number}`));
  const times = { proposed: pull.created_at, merged: pull.merged_at };
  process.stdout.write(describeArrows(await explain("release", release), times));
  expect(await statusesOf(commit)).toMatchObject({ "Integration Service": "success" });
});

test("a commit whose test fails in its environment is not released: Gitea shows the failure at the commit, and what runs stays", async () => {
  const before = await released();
  const greet = "export const greet = () => 'goodbye';\n";
  const commit = await chain.gitea.commit(chain.source, { "app/greet.mjs": greet });
  const { name, ...tested } = await testedSnapshot(commit, "Failed");
  expect(tested).toMatchObject({
    tests: [
      {
        scenario: "in-an-environment",
        status: "TestFail",
        details: expect.stringContaining("it answers goodbye"),
        next: expect.stringContaining(`tenon promote rerun ${chain.tenant}/${name} in-an-environment`),
      },
    ],
  });
  await expect
    .poll(() => statusesOf(commit), polling)
    .toEqual({ "Pipelines as Code CI": "success", "Integration Service": "error" });
  await expect.poll(async () => new Set(await claimPhases()), polling).toEqual(new Set(["Released"]));
  expect(await released()).toEqual(before);
});
