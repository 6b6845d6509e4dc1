import { describe, expect, test } from "vitest";
import { FakeShell } from "../fake-shell.fixture.ts";
import { runCommandLine } from "../run-command-line.ts";
import { createDataDirectory, sampleProduct } from "./data-directory.fixture.ts";

const bad = "$schema: /app-sre/app-1.yml\nname: tracking\nproduct:\n  $ref: /parcel.yml\n";
const old = "$schema: /app-sre/integration-1.yml\nname: janitor\ndescription: cleans\noperate: []\n";

/** The output about these files, with the directory replaced. */
async function validate(files: Readonly<Record<string, string>>, ...words: string[]) {
  await using directory = await createDataDirectory(files);
  const shell = new FakeShell();
  const exitCode = await runCommandLine(["data", "validate", directory.path, ...words], shell);
  const [stdout, stderr] = [shell.stdout.text, shell.stderr.text].map((text) => text.replaceAll(directory.path, "DIR"));
  return { exitCode, stdout: stdout ?? "", stderr };
}

describe("tenon data validate", () => {
  test("`tenon data validate` of valid files prints their number", async () => {
    expect(await validate({ "data/parcels.yml": sampleProduct })).toEqual({
      exitCode: 0,
      stdout: "",
      stderr: "1 file of the data directory DIR is valid\n",
    });
  });

  test("`tenon data validate` of invalid files prints where, what and what to do, and exits with 1", async () => {
    expect(await validate({ "data/parcels.yml": sampleProduct, "data/app.yml": bad })).toEqual({
      exitCode: 1,
      stdout:
        "DIR/data/app.yml:4:3: error: $ref /parcel.yml does not exist (FILE_NOT_FOUND)\n" +
        "  did you mean /parcels.yml?\n",
      stderr: "error: 1 error in 2 files of the data directory DIR\n",
    });
  });

  test("`tenon data validate` exits with 0 after warnings", async () => {
    const { exitCode, stdout, stderr } = await validate({ "data/janitor.yml": old });
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(
      /^DIR\/data\/janitor\.yml:4:1: warning: operate is the old name of managed\n {2}rename it to managed\n$/,
    );
    expect(stderr).toBe("1 file of the data directory DIR is valid, with 1 warning\n");
  });

  test("`tenon data validate` continues after an unreadable file", async () => {
    const { exitCode, stdout } = await validate({ "data/a.yml": "a: [\n", "data/app.yml": bad });
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/^DIR\/data\/a\.yml:1:\d+: error: .*\(UNREADABLE_FILE\)\n/);
    expect(stdout).toContain("(FILE_NOT_FOUND)");
  });

  test("`tenon data validate` names an unreadable file once, and not at each reference to it", async () => {
    const one = bad.replace("/parcel.yml", "/parcels.yml");
    const two = one.replace("tracking", "labels");
    const files = { "data/parcels.yml": "name: a: b\n", "data/a.yml": one, "data/b.yml": two };
    const { exitCode, stdout } = await validate(files);
    expect(exitCode).toBe(1);
    expect(stdout.match(/error:/g)).toHaveLength(1);
    expect(stdout).toMatch(/^DIR\/data\/parcels\.yml:1:\d+: error: .*\(UNREADABLE_FILE\)\n/);
  });

  test("`tenon data validate` reports two integrations of one name, also with a description that does not call it unique", async () => {
    const named = "$schema: /app-sre/integration-1.yml\nname: janitor\ndescription: cleans\n";
    const description =
      "confs:\n- name: Integration_v1\n  datafile: /app-sre/integration-1.yml\n  fields:\n  - {name: name, type: string}\n";
    for (const files of [{}, { "graphql-schemas/schema.yml": description }]) {
      const { exitCode, stdout } = await validate({ ...files, "data/one.yml": named, "data/two.yml": named });
      expect(exitCode).toBe(1);
      expect(stdout).toContain('DIR/data/one.yml:2:1: error: name must be unique, but "janitor" is also in /two.yml');
    }
  });

  test("`tenon data validate -o json` prints the rows of qontract-validator, and warnings on standard error", async () => {
    const files = { "data/app.yml": bad, "data/janitor.yml": old };
    const all = await validate(files, "-o", "json");
    const rows: { filename: string; result: { status: string; reason?: string } }[] = JSON.parse(all.stdout);
    expect(all.exitCode).toBe(1);
    expect(all.stderr).toContain("warning: operate is the old name");
    expect(
      rows.filter(({ result }) => result.status === "ERROR").map(({ filename, result }) => [filename, result.reason]),
    ).toEqual([["/app.yml", "FILE_NOT_FOUND"]]);
    expect(rows).toContainEqual(expect.objectContaining({ filename: "/janitor.yml", kind: "FILE" }));
    const onlyErrors = await validate(files, "-o", "json", "--only-errors");
    expect(JSON.parse(onlyErrors.stdout)).toHaveLength(1);
  });

  test("`tenon data validate -o markdown` prints a table", async () => {
    const { stdout } = await validate({ "data/app.yml": bad }, "-o", "markdown");
    expect(stdout.split("\n")[0]).toBe("| where | reason | what | next step |");
    expect(stdout).toContain("| FILE\\_NOT\\_FOUND |");
  });

  test("`tenon data validate` escapes control characters of files", async () => {
    const { stdout } = await validate({ "data/a.yml": '$schema: "/\\e[2J-1.yml"\nname: x\n' });
    expect(stdout).not.toContain("\u001b");
  });

  test("`tenon data validate` names a missing directory", async () => {
    const shell = new FakeShell();
    expect(await runCommandLine(["data", "validate", "/nowhere/at/all"], shell)).toBe(1);
    expect(shell.stderr.text).toBe(
      "error: /nowhere/at/all: file or directory not found\n" +
        "  next: use a directory, a bundle file, or a git repository as REPOSITORY#REF\n",
    );
  });
});
