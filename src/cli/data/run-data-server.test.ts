import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { FakeShell, type FakeShellOptions } from "../fake-shell.fixture.ts";
import { Interruption } from "../exits.ts";
import { runCommandLine } from "../run-command-line.ts";

const graphql = [
  { name: "Query", fields: [{ name: "apps_v1", type: "App_v1", isList: true, datafileSchema: "/app-1.yml" }] },
  { name: "App_v1", fields: [{ name: "name", type: "string" }] },
];
const bundle = (name: string): string =>
  JSON.stringify({ data: { "/a.yml": { $schema: "/app-1.yml", name } }, graphql });

interface Answer {
  readonly data: { readonly apps_v1: readonly { readonly name: string }[] };
}

let folder: string;
let file: string;
let controller: AbortController;
let running: { readonly ended: Promise<number>; readonly shell: FakeShell }[];

beforeAll(async () => {
  await import("./run-data-server.ts"); // so that no test waits for the import
  folder = await mkdtemp(join(tmpdir(), "tenon-serve-"));
  file = join(folder, "bundle.json");
});
afterAll(() => rm(folder, { recursive: true }));
beforeEach(async () => {
  [controller, running] = [new AbortController(), []];
  await writeFile(file, bundle("one"));
});
afterEach(async () => {
  controller.abort(new Interruption("SIGINT"));
  await Promise.all(running.map(({ ended }) => ended));
});

/** Starts a server, and returns the address that it prints. */
async function serve(words: readonly string[], options: FakeShellOptions = {}) {
  const shell = new FakeShell({ signal: controller.signal, ...options });
  const ended = runCommandLine(["data", "serve", "--port", "0", ...words], shell);
  running.push({ ended, shell });
  await expect.poll(() => shell.stdout.text).toContain("/graphql\n");
  const [, address = ""] = / at (http:\S+)\/graphql\n/.exec(shell.stdout.text) ?? [];
  return { address, shell, ended };
}

async function nameAt(address: string): Promise<string | undefined> {
  const response = await fetch(`${address}/graphql?query={apps_v1{name}}`);
  const { data }: Answer = JSON.parse(await response.text());
  return data.apps_v1[0]?.name;
}

test("`tenon data serve` serves on loopback until it is interrupted", async () => {
  const { address, shell, ended } = await serve([file]);
  expect(shell.stdout.text).toBe(`serving the bundle file ${file} at ${address}/graphql\n`);
  expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect(await nameAt(address)).toBe("one");
  controller.abort(new Interruption("SIGINT"));
  expect(await ended).toBe(130);
  await expect(fetch(address)).rejects.toThrow("fetch failed");
});

test("POST /reload reads the data again", async () => {
  const { address } = await serve([file]);
  await writeFile(file, bundle("two"));
  expect(await nameAt(address)).toBe("one");
  await fetch(`${address}/reload`, { method: "POST" });
  expect(await nameAt(address)).toBe("two");
});

test("--watch reloads changed data", async () => {
  const { address } = await serve([file, "--watch"]);
  await writeFile(file, bundle("two"));
  await expect.poll(() => nameAt(address)).toBe("two");
});

test("A-20: `tenon data serve` takes the variables of qontract-server", async () => {
  const { address } = await serve([], { env: { LOAD_METHOD: "fs", DATAFILES_FILE: file } });
  expect(await nameAt(address)).toBe("one");
});

describe("the token", () => {
  test("the token may be in a file", async () => {
    await writeFile(join(folder, "token"), "correct-horse\n");
    const { address } = await serve([file, "--token-file", join(folder, "token")]);
    expect((await fetch(`${address}/sha256`)).status).toBe(401);
    expect((await fetch(`${address}/sha256`, { headers: { authorization: "Bearer correct-horse" } })).status).toBe(200);
  });

  test("the token may be in the environment, for the server and for a query", async () => {
    const env = { TENON_DATA_TOKEN: "correct-horse" };
    const { address } = await serve([file], { env });
    const asking = new FakeShell({ env });
    expect(await runCommandLine(["data", "query", `${address}/graphql`, "{ apps_v1 { name } }"], asking)).toBe(0);
    expect(JSON.parse(asking.stdout.text)).toEqual({ apps_v1: [{ name: "one" }] });
  });

  test("an empty token is an error", async () => {
    await writeFile(join(folder, "empty"), "\n");
    const shell = new FakeShell();
    expect(await runCommandLine(["data", "serve", file, "--token-file", join(folder, "empty")], shell)).toBe(1);
    expect(shell.stderr.text).toContain("the token file is empty");
  });

  test("a token is recommended for an address other than loopback", async () => {
    const { shell } = await serve([file, "--host", "0.0.0.0"]);
    expect(shell.stderr.text).toContain("--token-file requires a token");
  });
});

test("`tenon data query --types` of a server is an error", async () => {
  const { address } = await serve([file]);
  const shell = new FakeShell();
  expect(await runCommandLine(["data", "query", `${address}/graphql`, "{ apps_v1 { name } }", "--types"], shell)).toBe(
    1,
  );
  expect(shell.stderr.text).toContain("use the directory, bundle file or git repository that it serves");
});

test.each([
  { words: [], says: "no data to serve", reason: "no data" },
  { words: ["bundle.json", "--bundle-ttl", "soon"], says: '"soon" is not a valid duration', reason: "not a duration" },
  {
    words: ["http://localhost:4000/graphql"],
    says: "expected files, got the address of a running server",
    reason: "a running server as source",
  },
])("`tenon data serve` fails: $reason", async ({ words, says }) => {
  const shell = new FakeShell();
  expect(await runCommandLine(["data", "serve", ...words], shell)).toBe(1);
  expect(shell.stderr.text).toContain(says);
});
