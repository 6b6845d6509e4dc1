import { describe, expect, test } from "vitest";
import { FakeShell } from "../fake-shell.fixture.ts";
import { runCommandLine } from "../run-command-line.ts";
import { createDataDirectory, sampleProduct } from "./data-directory.fixture.ts";

const before = {
  "data/a.yml": "$schema: /app-sre/app-1.yml\nname: a\nappCode: one\n",
  "data/b.yml": sampleProduct,
  "resources/r": "1\n2\n",
};
const after = {
  "data/a.yml": "$schema: /app-sre/app-1.yml\nname: a\nappCode: two\n",
  "data/c.yml": sampleProduct,
  "data/a2.yml": sampleProduct,
};

async function diff(
  one: Readonly<Record<string, string>>,
  other: Readonly<Record<string, string>>,
  ...words: string[]
) {
  await using base = await createDataDirectory(one);
  await using head = await createDataDirectory(other);
  const shell = new FakeShell();
  const exitCode = await runCommandLine(["data", "diff", base.path, head.path, ...words], shell);
  return { exitCode, stdout: shell.stdout.text, stderr: shell.stderr.text };
}

describe("tenon data diff", () => {
  test("`tenon data diff` prints a table of fields", async () => {
    const { exitCode, stdout } = await diff(before, after);
    expect(exitCode).toBe(0);
    expect(stdout.split("\n").map((line) => line.replaceAll(/ +/g, " "))).toEqual([
      "CHANGE FILE FIELD OLD NEW",
      "changed data/a.yml appCode one two",
      "added data/a2.yml - - /app-sre/product-1.yml parcels",
      "removed data/b.yml - /app-sre/product-1.yml parcels -",
      "added data/c.yml - - /app-sre/product-1.yml parcels",
      "removed resources/r - 2 lines -",
      "",
    ]);
  });

  test("`tenon data diff` says when only the text of a file changed, and when nothing did", async () => {
    const { stdout } = await diff({ "data/a.yml": sampleProduct }, { "data/a.yml": `# comment\n${sampleProduct}` });
    expect(stdout).toContain("same content, written differently");
    expect(await diff(before, before)).toEqual({ exitCode: 0, stdout: "", stderr: "no changes\n" });
  });

  test("`tenon data diff -o json` prints the format of qontract-server", async () => {
    const { stdout } = await diff(before, after, "-o", "json");
    expect(JSON.parse(stdout).datafiles["/a.yml"]).toMatchObject({
      datafilepath: "/a.yml",
      old: { appCode: "one" },
      new: { appCode: "two" },
    });
  });
});
