import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openBundleSource } from "./open-bundle-source.ts";
import { product, sampleTree } from "./sample-tree.fixture.ts";

test("a pipe among the data files is not opened, because reading it could block", async () => {
  await using tree = await sampleTree({ "data/a.yml": product("a") });
  execFileSync("mkfifo", [join(tree.path, "data/pipe.yml")]);
  const bundle = await openBundleSource(tree.path).load(new AbortController().signal);
  expect([...bundle.datafiles.keys()]).toEqual(["/a.yml"]);
});
