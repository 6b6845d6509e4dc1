import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { FakeShell } from "./fake-shell.ts";
import { run } from "./run.ts";

const text = (name: string) => ({ name, type: "string" });
const bundle = {
  data: {
    "/a.yml": { $schema: "/app-1.yml", name: "a", tags: ["x", "y"], team: { $ref: "/t.yml" }, parts: [{ name: "p" }] },
    "/b.yml": { $schema: "/app-1.yml", name: "b", team: { $ref: "/gone.yml" } },
    "/t.yml": { $schema: "/team-1.yml", name: "payments" },
  },
  graphql: [
    {
      name: "Query",
      fields: [
        { name: "apps_v1", type: "App_v1", isList: true, datafileSchema: "/app-1.yml" },
        { name: "teams_v1", type: "Team_v1", isList: true, datafileSchema: "/team-1.yml" },
      ],
    },
    {
      name: "App_v1",
      fields: [
        { ...text("name"), isSearchable: true },
        { ...text("tags"), isList: true },
        { name: "team", type: "Team_v1" },
        { name: "owner", type: "Team_v1", isRequired: true },
        { name: "parts", type: "Team_v1", isList: true },
      ],
    },
    { name: "Team_v1", fields: [text("name")] },
  ],
};

let folder: string;
let file: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tenon-query-"));
  file = join(folder, "bundle.json");
  await writeFile(file, JSON.stringify(bundle));
  await writeFile(join(folder, "apps.graphql"), "query Apps($name: String) { apps_v1(name: $name) { name } }\n");
});
afterAll(() => rm(folder, { recursive: true }));

async function query(words: readonly string[], shell = new FakeShell()) {
  const exitCode = await run(["data", "query", ...words], shell);
  return { exitCode, stdout: shell.stdout.text, stderr: shell.stderr.text };
}

const names = { apps_v1: [{ name: "a" }, { name: "b" }] };

describe("the query comes from", () => {
  test("an argument", async () => {
    const { exitCode, stdout } = await query([file, "{ apps_v1 { name } }"]);
    expect([exitCode, JSON.parse(stdout)]).toEqual([0, names]);
  });

  test("a file, with variables", async () => {
    const words = [file, "--file", join(folder, "apps.graphql"), "--variables", '{"name": "b"}'];
    expect(JSON.parse((await query(words)).stdout)).toEqual({ apps_v1: [{ name: "b" }] });
  });

  test("standard input", async () => {
    const shell = new FakeShell({ typed: ["{ apps_v1 {", "name } }"] });
    expect(JSON.parse((await query([file, "-"], shell)).stdout)).toEqual(names);
  });

  test.each([
    { words: ["{a}", "-f", "x"], says: "there are two queries", reason: "twice" },
    {
      words: ["-f", "/gone.graphql"],
      says: "/gone.graphql: the query cannot be read",
      reason: "a file that is not there",
    },
    { words: ["{a}", "--variables", "{a"], says: "--variables: is no JSON", reason: "variables that are no JSON" },
    { words: ["{a}", "--variables", "[]"], says: "--variables: is no object", reason: "variables that are a list" },
    {
      words: ["{a}", "--token-file", "/gone"],
      says: "/gone: the token cannot be read",
      reason: "a token that is not there",
    },
  ])("nowhere: $reason", async ({ words, says }) => {
    const { exitCode, stdout, stderr } = await query([file, ...words]);
    expect([exitCode, stdout]).toEqual([1, ""]);
    expect(stderr).toContain(says);
  });

  test("nowhere: a terminal on which nobody would know what to type", async () => {
    expect((await query([file], new FakeShell({ columns: 80 }))).stderr).toContain("there is no query");
  });
});

describe("the answer", () => {
  test("as YAML", async () => {
    expect((await query([file, "{ apps_v1 { name } }", "-o", "yaml"])).stdout).toBe("apps_v1:\n- name: a\n- name: b\n");
  });

  test("as a table: what is further in has its path, lists are one cell", async () => {
    const { stdout } = await query([file, "{ apps_v1 { name tags team { name } parts { name } } }", "-o", "table"]);
    expect(stdout).toBe(
      [
        "NAME  TAGS  TEAM.NAME  PARTS           TEAM",
        'a     x, y  payments   [{"name":"p"}]  -',
        "b     -     -          -               -",
        "",
      ].join("\n"),
    );
  });

  test("as a table for each thing asked", async () => {
    const asked = '{ apps_v1 { name } none: apps_v1(name: "z") { name } teams_v1 { name } }';
    const { stdout, stderr } = await query([file, asked, "-o", "table"]);
    expect(stdout).toBe("apps_v1\nNAME\na\nb\n\nnone\n\nteams_v1\nNAME\npayments\n");
    expect(stderr).toBe("none: none\n");
  });

  test("A-31: an answer with errors is not printed; each error is, with its place", async () => {
    const { exitCode, stdout, stderr } = await query([file, "{ apps_v1 { name owner { name } } }"]);
    expect([exitCode, stdout]).toEqual([1, ""]);
    expect(stderr).toContain("apps_v1[0].owner: Cannot return null for non-nullable field App_v1.owner.\n");
    expect(stderr).toContain("the answer has 1 error, and is not printed");
  });
});

test("--types prints a module for the query", async () => {
  const { exitCode, stdout } = await query([file, "-f", join(folder, "apps.graphql"), "--types"]);
  expect(exitCode).toBe(0);
  expect(stdout).toContain("from apps.graphql; do not edit.");
  expect(stdout).toContain("export const appsQuery");
});
