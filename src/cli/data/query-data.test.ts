import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { FakeShell } from "../fake-shell.fixture.ts";
import { runCommandLine } from "../run-command-line.ts";

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
  const exitCode = await runCommandLine(["data", "query", ...words], shell);
  return { exitCode, stdout: shell.stdout.text, stderr: shell.stderr.text };
}

const names = { apps_v1: [{ name: "a" }, { name: "b" }] };

describe("tenon data query", () => {
  test("the query may be an argument", async () => {
    const { exitCode, stdout } = await query([file, "{ apps_v1 { name } }"]);
    expect([exitCode, JSON.parse(stdout)]).toEqual([0, names]);
  });

  test("the query may be in a file, with variables", async () => {
    const words = [file, "--file", join(folder, "apps.graphql"), "--variables", '{"name": "b"}'];
    expect(JSON.parse((await query(words)).stdout)).toEqual({ apps_v1: [{ name: "b" }] });
  });

  test("the query may come from standard input", async () => {
    const shell = new FakeShell({ typed: ["{ apps_v1 {", "name } }"] });
    expect(JSON.parse((await query([file, "-"], shell)).stdout)).toEqual(names);
  });

  test.each([
    { words: ["{a}", "-f", "x"], says: "expected one query", reason: "two queries" },
    {
      words: ["-f", "/gone.graphql"],
      says: "/gone.graphql: cannot read the query",
      reason: "a missing file",
    },
    { words: ["{a}", "--variables", "{a"], says: "--variables: not valid JSON", reason: "malformed variables" },
    { words: ["{a}", "--variables", "[]"], says: "--variables: expected a JSON object", reason: "a list as variables" },
    {
      words: ["{a}", "--token-file", "/gone"],
      says: "/gone: cannot read the token",
      reason: "a missing token file",
    },
  ])("`tenon data query` fails: $reason", async ({ words, says }) => {
    const { exitCode, stdout, stderr } = await query([file, ...words]);
    expect([exitCode, stdout]).toEqual([1, ""]);
    expect(stderr).toContain(says);
  });

  test("`tenon data query` says that standard input has no query", async () => {
    const { exitCode, stderr } = await query([file]);
    expect(exitCode).toBe(1);
    expect(stderr).toContain("no query given\n  next: give it as an argument");
  });

  test("`tenon data query` does not wait for a query from a terminal", async () => {
    expect((await query([file], new FakeShell({ columns: 80 }))).stderr).toContain("no query given");
  });
});

describe("the result of a query", () => {
  test("the result of a query as YAML", async () => {
    expect((await query([file, "{ apps_v1 { name } }", "-o", "yaml"])).stdout).toBe("apps_v1:\n- name: a\n- name: b\n");
  });

  test("the result of a query as a table has paths for nested values, and one cell for a list", async () => {
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

  test("the result of a query with several fields is one table per field", async () => {
    const asked = '{ apps_v1 { name } none: apps_v1(name: "z") { name } teams_v1 { name } }';
    const { stdout, stderr } = await query([file, asked, "-o", "table"]);
    expect(stdout).toBe("apps_v1\nNAME\na\nb\n\nnone\n\nteams_v1\nNAME\npayments\n");
    expect(stderr).toBe("none: none\n");
  });

  test("A-31: a query result with errors is not printed; each error is, with its field", async () => {
    const { exitCode, stdout, stderr } = await query([file, "{ apps_v1 { name owner { name } } }"]);
    expect([exitCode, stdout]).toEqual([1, ""]);
    expect(stderr).toContain("apps_v1[0].owner: Cannot return null for non-nullable field App_v1.owner.\n");
    expect(stderr).toContain("the result has 1 error, so it is not printed");
  });
});

test("`tenon data query --types` prints a TypeScript module", async () => {
  const { exitCode, stdout } = await query([file, "-f", join(folder, "apps.graphql"), "--types"]);
  expect(exitCode).toBe(0);
  expect(stdout).toContain("from apps.graphql; do not edit.");
  expect(stdout).toContain("export const appsQuery");
});
