import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readSource } from "./source.ts";

let copy: string;

beforeEach(async () => {
  copy = await mkdtemp(join(tmpdir(), "tenon-source-"));
  await cp(join(import.meta.dirname, "..", "..", "cluster"), copy, { recursive: true });
});

afterEach(() => rm(copy, { recursive: true }));

test("the same sources elsewhere have the same hash", async () => {
  expect((await readSource(copy)).hash).toBe((await readSource()).hash);
});

test.each(["main.go", "instance/port.go", "go.sum", "new.go"])("a change of %s changes the hash", async (file) => {
  await writeFile(join(copy, file), "// changed\n", { flag: "a" });
  expect((await readSource(copy)).hash).not.toBe((await readSource()).hash);
});

test.each(["instance/new_test.go", "README.md"])("a change of %s does not: it is not in the binary", async (file) => {
  await writeFile(join(copy, file), "package instance\n");
  expect((await readSource(copy)).hash).toBe((await readSource()).hash);
});

test("the binary is stamped with the version of Kubernetes that go.mod requires", async () => {
  await writeFile(join(copy, "go.mod"), "require (\n\tk8s.io/kubernetes v1.99.7\n)\n");
  const { goBuildFlags } = await readSource(copy);
  expect(goBuildFlags.at(-1)).toContain("-X k8s.io/component-base/version.gitVersion=v1.99.7");
  expect(goBuildFlags.at(-1)).toContain("-X k8s.io/component-base/version.gitMinor=99");
});
