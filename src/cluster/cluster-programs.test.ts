import { cp, glob, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readClusterPrograms } from "./cluster-programs.ts";

let copy: string;

beforeEach(async () => {
  copy = await mkdtemp(join(tmpdir(), "tenon-source-"));
  await cp(join(import.meta.dirname, "..", "..", "cluster"), copy, { recursive: true });
});

afterEach(() => rm(copy, { recursive: true }));

async function hashesOf(directory?: string): Promise<{ cluster: string; node: string }> {
  const { cluster, node } = await readClusterPrograms(directory);
  return { cluster: cluster.hash, node: node.hash };
}

test("the same sources elsewhere have the same hashes, one for each program", async () => {
  const { cluster, node } = await hashesOf();
  expect(await hashesOf(copy)).toEqual({ cluster, node });
  expect(cluster).not.toBe(node);
});

test.each(["main.go", "instance/port.go", "tenon-node/main.go", "go.sum", "new.go"])(
  "a change of %s changes the hashes of both programs, which talk to each other",
  async (file) => {
    await writeFile(join(copy, file), "// changed\n", { flag: "a" });
    const [before, after] = [await hashesOf(), await hashesOf(copy)];
    expect(after.cluster).not.toBe(before.cluster);
    expect(after.node).not.toBe(before.node);
  },
);

test.each(["instance/new_test.go", "README.md"])(
  "a change of %s does not change the hashes: it is not in the binaries",
  async (file) => {
    await writeFile(join(copy, file), "package instance\n");
    expect(await hashesOf(copy)).toEqual(await hashesOf());
  },
);

test("the flags of the compiler are those of the file gcflags, and part of the hashes", async () => {
  await writeFile(join(copy, "gcflags"), "# a reason\n\nall=-dwarf=false\nexample.org/...=-dwarf=false -l\n");
  const { cluster, node } = await readClusterPrograms(copy);
  const compiler = ["-gcflags=all=-dwarf=false", "-gcflags=example.org/...=-dwarf=false -l"];
  expect(cluster.goBuildFlags.filter((flag) => flag.startsWith("-gcflags"))).toEqual(compiler);
  expect(node.goBuildFlags).toEqual(cluster.goBuildFlags);
  expect(cluster.hash).not.toBe((await hashesOf()).cluster);
});

test("kubelet and kube-proxy are in the program of real nodes only, so that a start without a node does not build them", async () => {
  const sources = await Array.fromAsync(glob("**/*.go", { cwd: copy }));
  const imports = await Promise.all(
    sources.map(async (file) => ({ file, text: await readFile(join(copy, file), "utf8") })),
  );
  const ofNodes = imports.filter(({ text }) =>
    /"k8s\.io\/kubernetes\/(cmd|pkg)\/(kubelet|kube-proxy|proxy)\b/.test(text),
  );
  expect(ofNodes.map(({ file }) => file)).toEqual([join("tenon-node", "main.go")]);
});

test("the binaries are stamped with the version of Kubernetes that go.mod requires", async () => {
  await writeFile(join(copy, "go.mod"), "require (\n\tk8s.io/kubernetes v1.99.7\n)\n");
  const { goBuildFlags } = (await readClusterPrograms(copy)).node;
  expect(goBuildFlags.at(-1)).toContain("-X k8s.io/component-base/version.gitVersion=v1.99.7");
  expect(goBuildFlags.at(-1)).toContain("-X k8s.io/component-base/version.gitMinor=99");
});
