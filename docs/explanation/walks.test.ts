import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");

test.each([{ page: "from-plug-to-coupled.md", most: 59 }])(
  "the walk of $page lists at most $most files, each once, and all of them exist",
  ({ page, most }) => {
    const text = readFileSync(join(import.meta.dirname, page), "utf8");
    const items = [...text.matchAll(/^1\. \[(?<file>[^\]]+)\]\((?<link>[^)]+)\): /gm)].map(({ groups }) => groups);
    const files = items.map((item) => item?.["file"] ?? "");
    expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
    expect(items.map((item) => item?.["link"])).toEqual(files.map((file) => `../../${file}`));
    expect(new Set(files).size).toBe(files.length);
    expect(files.length).toBeGreaterThan(0);
    expect(files.length).toBeLessThanOrEqual(most);
    expect(text.match(/^1\. /gm)).toHaveLength(files.length);
  },
);
