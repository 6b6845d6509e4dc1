import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  forgetNamespaces,
  rememberNamespaces,
  type RememberedNamespace,
  readRemembered,
  writeRemembered,
} from "./remembered-namespaces.ts";
import { stateFile } from "./state-file.ts";

const never = new AbortController().signal;

function entry(namespace: string, kinds: readonly string[] = ["Deployment"], caller = "a"): RememberedNamespace {
  return { cluster: { name: "c1", serverUrl: "https://c1" }, namespace, environment: "test", caller, kinds };
}

describe("D-53: a manager remembers its namespaces with their kinds", () => {
  test("kinds are added to those that are known, and callers are kept apart", () => {
    const known = rememberNamespaces([entry("n1"), entry("n1", ["Job"], "b")], [entry("n1", ["Service"]), entry("n2")]);
    expect(known).toEqual([entry("n1", ["Deployment", "Service"]), entry("n1", ["Job"], "b"), entry("n2")]);
    expect(forgetNamespaces(known, [entry("n1")])).toEqual([entry("n1", ["Job"], "b"), entry("n2")]);
  });

  test("is the same text in whatever order, and is read back", () => {
    const [one, two] = [entry("n1", ["B", "A"]), entry("n2")];
    expect(writeRemembered([two, one])).toBe(writeRemembered([one, two]));
    expect(readRemembered(writeRemembered([two, one]), "x")).toEqual([entry("n1", ["A", "B"]), two]);
    expect(readRemembered(undefined, "x")).toEqual([]);
  });

  test.each([
    { reason: "no JSON", text: "{" },
    { reason: "of a later version", text: '{"version":2,"namespaces":[]}' },
    { reason: "something else", text: '{"version":1,"namespaces":[{}]}' },
  ])("is refused when it is $reason: guessing would delete", ({ text }) => {
    expect(() => readRemembered(text, "state.json")).toThrow("state.json: cannot read the list of managed namespaces");
  });

  test("a file keeps it, and is not written when nothing is new", async () => {
    const directory = await mkdtemp(join(tmpdir(), "tenon-state-"));
    const file = join(directory, "below", "state.json");
    const memory = stateFile(file);
    expect(await memory.read(never)).toEqual([]);
    await memory.update((known) => rememberNamespaces(known, [entry("n1")]), never);
    expect(await memory.read(never)).toEqual([entry("n1")]);
    await writeFile(file, `${writeRemembered([entry("n1")])}\n\n\n`);
    await memory.update((known) => rememberNamespaces(known, [entry("n1")]), never);
    expect(await memory.read(never)).toEqual([entry("n1")]);
    await rm(directory, { recursive: true });
  });
});
