import { mkdir, mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { InputError } from "#base";
import { readContexts } from "./contexts.ts";

const first = "apiVersion: v1\nkind: Config\ncontexts:\n- {name: one, context: {cluster: a}}\ncurrent-context: ''\n";
const second = "contexts: [{name: two}, {name: one}]\ncurrent-context: two\n";

describe("readContexts", () => {
  test("merges the files of KUBECONFIG and passes over missing ones, as kubectl does", async () => {
    await using directory = await mkdtempDisposable(join(tmpdir(), "tenon-cli-"));
    const files = ["first", "missing", "second"].map((name) => join(directory.path, name));
    await writeFile(files[0] ?? "", first);
    await writeFile(files[2] ?? "", second);
    const contexts = await readContexts(undefined, { KUBECONFIG: files.join(":") });
    expect(contexts).toEqual({ files, names: ["one", "two"], current: "two" });
  });

  test("falls back to ~/.kube/config", async () => {
    await using directory = await mkdtempDisposable(join(tmpdir(), "tenon-cli-"));
    await mkdir(join(directory.path, ".kube"));
    await writeFile(join(directory.path, ".kube", "config"), second);
    expect((await readContexts(undefined, { HOME: directory.path })).names).toEqual(["two", "one"]);
  });

  test.for([
    { text: undefined, reason: "it is missing" },
    { text: "- a list", reason: "it is something else" },
    { text: "contexts: {", reason: "it is no YAML" },
  ])("refuses the file that was asked for when $reason, and names it", async ({ text }) => {
    await using directory = await mkdtempDisposable(join(tmpdir(), "tenon-cli-"));
    const file = join(directory.path, "config");
    if (text !== undefined) await writeFile(file, text);
    const attempt = readContexts(file, { KUBECONFIG: "/not/read" });
    await expect(attempt).rejects.toThrow(InputError);
    await expect(attempt).rejects.toThrow(file);
  });
});
