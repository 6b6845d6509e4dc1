import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { checkout, generatedPages } from "./generated-pages.ts";

describe.for(generatedPages)("$path", ({ path, generate }) => {
  test("is what its source says", async () => {
    const written = await readFile(join(checkout, path), "utf8");
    expect(written, `${path} is not what its source says now: run \`npm run docs\``).toBe(await generate());
  });
});
