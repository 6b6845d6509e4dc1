import { describe, expect, test } from "vitest";
import { FakeShell } from "./fake-shell.ts";
import { run } from "./run.ts";
import { sampleData, sampleProduct } from "./sample-data.ts";

const bad = "$schema: /app-sre/app-1.yml\nname: tracking\nproduct:\n  $ref: /parcel.yml\n";
const old = "$schema: /app-sre/integration-1.yml\nname: janitor\ndescription: cleans\noperate: []\n";

/** What a command says about these files, with the directory left out. */
async function validate(files: Readonly<Record<string, string>>, ...words: string[]) {
  await using directory = await sampleData(files);
  const shell = new FakeShell();
  const exitCode = await run(["data", "validate", directory.path, ...words], shell);
  const [stdout, stderr] = [shell.stdout.text, shell.stderr.text].map((text) => text.replaceAll(directory.path, "DIR"));
  return { exitCode, stdout: stdout ?? "", stderr };
}

describe("tenon data validate", () => {
  test("of files that are right says so, and how many", async () => {
    expect(await validate({ "data/parcels.yml": sampleProduct })).toEqual({
      exitCode: 0,
      stdout: "",
      stderr: "1 file of the data directory DIR is valid\n",
    });
  });

  test("of files that are wrong says where, what and what next, and exits with 1", async () => {
    expect(await validate({ "data/parcels.yml": sampleProduct, "data/app.yml": bad })).toEqual({
      exitCode: 1,
      stdout:
        "DIR/data/app.yml:4:3: error: $ref leads to /parcel.yml, and there is no such data file (FILE_NOT_FOUND)\n" +
        "  did you mean /parcels.yml?\n",
      stderr: "error: 1 error in 2 files of the data directory DIR\n",
    });
  });

  test("warns without failing", async () => {
    const { exitCode, stdout, stderr } = await validate({ "data/janitor.yml": old });
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(
      /^DIR\/data\/janitor\.yml:4:1: warning: operate is the former name of managed\n {2}write managed\n$/,
    );
    expect(stderr).toBe("1 file of the data directory DIR is valid, with 1 warning\n");
  });

  test("goes on after a file that cannot be read", async () => {
    const { exitCode, stdout } = await validate({ "data/a.yml": "a: [\n", "data/app.yml": bad });
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/^DIR\/data\/a\.yml:1:\d+: error: .*\(UNREADABLE_FILE\)\n/);
    expect(stdout).toContain("(FILE_NOT_FOUND)");
  });

  test("-o json prints rows as qontract-validator does, and warnings apart", async () => {
    const files = { "data/app.yml": bad, "data/janitor.yml": old };
    const all = await validate(files, "-o", "json");
    const rows: { filename: string; result: { status: string; reason?: string } }[] = JSON.parse(all.stdout);
    expect(all.exitCode).toBe(1);
    expect(all.stderr).toContain("warning: operate is the former name");
    expect(
      rows.filter(({ result }) => result.status === "ERROR").map(({ filename, result }) => [filename, result.reason]),
    ).toEqual([["/app.yml", "FILE_NOT_FOUND"]]);
    expect(rows).toContainEqual(expect.objectContaining({ filename: "/janitor.yml", kind: "FILE" }));
    const onlyErrors = await validate(files, "-o", "json", "--only-errors");
    expect(JSON.parse(onlyErrors.stdout)).toHaveLength(1);
  });

  test("-o markdown prints a table for a pull request", async () => {
    const { stdout } = await validate({ "data/app.yml": bad }, "-o", "markdown");
    expect(stdout.split("\n")[0]).toBe("| where | reason | what | next step |");
    expect(stdout).toContain("| FILE\\_NOT\\_FOUND |");
  });

  test("text from a file cannot move the cursor", async () => {
    const { stdout } = await validate({ "data/a.yml": '$schema: "/\\e[2J-1.yml"\nname: x\n' });
    expect(stdout).not.toContain("\u001b");
  });

  test("names what is missing", async () => {
    const shell = new FakeShell();
    expect(await run(["data", "validate", "/nowhere/at/all"], shell)).toBe(1);
    expect(shell.stderr.text).toBe(
      "error: /nowhere/at/all: there is no such file or directory\n" +
        "  next: give a directory, a bundle file, or a git repository as REPOSITORY#REF\n",
    );
  });
});
