import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { FakeShell } from "./fake-shell.ts";
import { run } from "./run.ts";
import { sampleData, sampleProduct } from "./sample-data.ts";

describe("tenon data bundle", () => {
  test("writes what the other commands read", async () => {
    await using directory = await sampleData({ "data/parcels.yml": sampleProduct });
    const file = join(directory.path, "bundle.json");
    const writing = new FakeShell();
    expect(await run(["data", "bundle", directory.path, "--file", file], writing)).toBe(0);
    expect(writing.stderr.text).toMatch(/bundle\.json: 1 data files, 0 resources, sha256 [0-9a-f]{64}\n$/);
    const reading = new FakeShell();
    expect(await run(["data", "validate", file], reading)).toBe(0);
    const printing = new FakeShell();
    expect(await run(["data", "bundle", file], printing)).toBe(0);
    expect(JSON.parse(printing.stdout.text).data["/parcels.yml"]).toMatchObject({ name: "parcels" });
  });

  test("does not leave half a file when a data file is broken", async () => {
    await using directory = await sampleData({ "data/a.yml": "a: [" });
    const shell = new FakeShell();
    expect(await run(["data", "bundle", directory.path], shell)).toBe(1);
    expect(shell.stdout.text).toBe("");
  });
});
