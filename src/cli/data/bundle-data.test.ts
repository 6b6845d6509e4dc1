import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { FakeShell } from "../fake-shell.fixture.ts";
import { runCommandLine } from "../run-command-line.ts";
import { createDataDirectory, sampleProduct } from "./data-directory.fixture.ts";

describe("tenon data bundle", () => {
  test("`tenon data bundle` writes what the other commands read", async () => {
    await using directory = await createDataDirectory({ "data/parcels.yml": sampleProduct });
    const file = join(directory.path, "bundle.json");
    const writing = new FakeShell();
    expect(await runCommandLine(["data", "bundle", directory.path, "--file", file], writing)).toBe(0);
    expect(writing.stderr.text).toMatch(/bundle\.json: 1 data files, 0 resources, sha256 [0-9a-f]{64}\n$/);
    const reading = new FakeShell();
    expect(await runCommandLine(["data", "validate", file], reading)).toBe(0);
    const printing = new FakeShell();
    expect(await runCommandLine(["data", "bundle", file], printing)).toBe(0);
    expect(JSON.parse(printing.stdout.text).data["/parcels.yml"]).toMatchObject({ name: "parcels" });
  });

  test("`tenon data bundle` names the file that it cannot write", async () => {
    await using directory = await createDataDirectory({ "data/parcels.yml": sampleProduct });
    const file = join(directory.path, "gone", "bundle.json");
    const shell = new FakeShell();
    expect(await runCommandLine(["data", "bundle", directory.path, "--file", file], shell)).toBe(1);
    expect(shell.stderr.text).toContain(`error: ${file}: cannot write the bundle\n`);
    expect(shell.stderr.text).toContain("next: check the path of --file");
  });

  test("`tenon data bundle` prints nothing when a data file is broken", async () => {
    await using directory = await createDataDirectory({ "data/a.yml": "a: [" });
    const shell = new FakeShell();
    expect(await runCommandLine(["data", "bundle", directory.path], shell)).toBe(1);
    expect(shell.stdout.text).toBe("");
  });
});
