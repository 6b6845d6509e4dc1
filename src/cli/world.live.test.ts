import { readdir } from "node:fs/promises";
import { expect, inject, test } from "vitest";
import { temporaryHome } from "#harness";
import { FakeShell } from "./fake-shell.ts";
import { run } from "./run.ts";

test("`tenon up` with a cluster of the user's says what it is, and starts nothing", async () => {
  await using home = await temporaryHome();
  const shell = new FakeShell({ env: { XDG_DATA_HOME: home.data } });
  expect(await run(["up", "--kubeconfig", inject("kubeconfig")], shell)).toBe(0);
  expect(shell.stdout.text).toMatch(/^context \S+ is Kubernetes v1\.\d+\.\d+ at https:\/\/\S+\n/);
  expect(await readdir(home.data)).toEqual([]);
});
