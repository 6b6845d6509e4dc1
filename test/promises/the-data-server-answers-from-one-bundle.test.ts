import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Pool } from "undici";
import { afterAll, beforeAll, expect, test, vi } from "vitest";

const checkout = join(import.meta.dirname, "..", "..");
const connections = 64;
const reloads = 30;
/** How many answers there are at least between two reloads. */
const answersEach = 100;
const files = 40;

const query = JSON.stringify({ query: "{ apps_v1 { path generation team { generation apps { generation } } } }" });

let folder: string;
let bundleFile: string;
let server: ChildProcess;
let pool: Pool;
/** Connections of their own, so that a reload need not wait for a client to be done; a new one each, as the server closes idle ones. */
let reloader: Pool;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tenon-one-bundle-"));
  bundleFile = join(folder, "bundle.json");
  await writeGeneration(0);
  const words = ["data", "serve", bundleFile, "--port", "0"];
  server = spawn(join(checkout, "bin", "tenon"), words, { stdio: ["ignore", "pipe", "ignore"] });
  const address = await addressOf(server);
  pool = new Pool(address, { connections, pipelining: 1 });
  reloader = new Pool(address, { pipelining: 0 });
});

afterAll(async () => {
  await Promise.all([pool.close(), reloader.close()]);
  const exited = once(server, "exit");
  server.kill("SIGTERM");
  await exited;
  await rm(folder, { recursive: true });
});

async function addressOf({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error("the server has no output");
  for await (const line of createInterface(stdout)) {
    const [, address] = / at (http:\S+)\/graphql$/.exec(line) ?? [];
    if (address !== undefined) return address;
  }
  throw new Error("the server has ended");
}

/** A bundle in which every file says of which generation it is. It comes at once, as a bundle file should. */
async function writeGeneration(generation: number): Promise<void> {
  const apps = Array.from({ length: files }, (_, at) => [
    `/apps/${at}.yml`,
    { $schema: "/app-1.yml", generation, team: { $ref: `/teams/${at % 10}.yml` } },
  ]);
  const teams = Array.from({ length: 10 }, (_, at) => [`/teams/${at}.yml`, { $schema: "/team-1.yml", generation }]);
  const number = { name: "generation", type: "int", isRequired: true };
  const graphql = [
    { name: "Query", fields: [{ name: "apps_v1", type: "App_v1", isList: true, datafileSchema: "/app-1.yml" }] },
    {
      name: "App_v1",
      fields: [{ name: "path", type: "string" }, number, { name: "team", type: "Team_v1", isRequired: true }],
    },
    {
      name: "Team_v1",
      fields: [
        number,
        { name: "apps", type: "App_v1", isList: true, synthetic: { schema: "/app-1.yml", subAttr: "team" } },
      ],
    },
  ];
  const bundle = { data: Object.fromEntries([...apps, ...teams]), graphql, git_commit: String(generation) };
  await writeFile(`${bundleFile}.new`, JSON.stringify(bundle));
  await rename(`${bundleFile}.new`, bundleFile);
}

async function call(method: "GET" | "POST", path: string, body: string | null = null, line = pool): Promise<string> {
  const headers = body === null ? {} : { "content-type": "application/json" };
  const answer = await line.request({ method, path, body, headers });
  const text = await answer.body.text();
  if (answer.statusCode !== 200) throw new Error(`${method} ${path}: ${answer.statusCode} ${text}`);
  return text;
}

/** The generation of an answer, which must be one. */
function generationOf(answer: string): number {
  const { data, errors }: { data: { apps_v1: unknown[] }; errors?: unknown } = JSON.parse(answer);
  expect(errors).toBeUndefined();
  expect(data.apps_v1).toHaveLength(files);
  const found = new Set(answer.match(/"generation":\d+/g));
  expect([...found]).toHaveLength(1);
  return Number([...found].join("").slice('"generation":'.length));
}

test(`under ${connections} connections and ${reloads} reloads: no error, every answer from one bundle`, async () => {
  const ending = new AbortController();
  const seen = new Set<number>();
  let answers = 0;

  async function askOnAndOn(): Promise<void> {
    while (!ending.signal.aborted) {
      seen.add(generationOf(await call("POST", "/graphql", query)));
      answers++;
    }
  }

  /** As a client does that works with one bundle for a while. */
  async function stayWithBundles(): Promise<void> {
    while (!ending.signal.aborted) {
      const identity = await call("GET", "/sha256");
      const generation = Number(await call("GET", `/git-commit/${identity}`));
      for (let at = 0; at < 5; at++) {
        expect(generationOf(await call("POST", `/graphqlsha/${identity}`, query))).toBe(generation);
        answers++;
      }
    }
  }

  async function reloadAgainAndAgain(): Promise<void> {
    for (let generation = 1; generation <= reloads; generation++) {
      const before = answers;
      await writeGeneration(generation);
      await call("POST", "/reload", null, reloader);
      await vi.waitUntil(() => ending.signal.aborted || answers >= before + answersEach, { timeout: 300_000 });
    }
    expect(await call("GET", "/git-commit", null, reloader)).toBe(String(reloads));
    ending.abort();
  }

  const clients = Array.from({ length: connections }, (_, at) => (at % 4 === 0 ? stayWithBundles() : askOnAndOn()));
  const everybody = [...clients, reloadAgainAndAgain()];
  try {
    await Promise.all(everybody);
  } finally {
    ending.abort();
    await Promise.allSettled(everybody);
  }
  expect(seen.size).toBeGreaterThan(1);
  expect(answers).toBeGreaterThan(connections);
});
