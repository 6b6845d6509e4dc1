import { access, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { checkout } from "./generated-pages.ts";

test.each([
  { walk: "from a data file to a live object", page: "from-data-file-to-live-object.md", most: 40 },
  { walk: "from a Plug to Coupled", page: "from-plug-to-coupled.md", most: 59 },
])("the walk $walk names files that exist, each once, in at most $most steps", async ({ page, most }) => {
  const text = await readFile(join(checkout, "docs/explanation", page), "utf8");
  const named = [...text.matchAll(/`(src\/[\w./-]+)`/g)].map(([, path = ""]) => path);
  const missing = await Promise.all(
    named.map(async (path) => {
      const isThere = await access(join(checkout, path)).then(
        () => true,
        () => false,
      );
      return isThere ? [] : [path];
    }),
  );
  expect(missing.flat(), `${page} names files that do not exist`).toEqual([]);
  expect(new Set(named).size).toBe(named.length);
  const steps = [...text.matchAll(/^\| (\d+) +\| `src\//gm)].map(([, number]) => Number(number));
  expect(steps).toEqual(Array.from(steps, (_, index) => index + 1));
  expect(steps.length).toBeGreaterThan(0);
  expect(steps.length).toBeLessThanOrEqual(most);
});
