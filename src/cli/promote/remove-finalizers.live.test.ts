import { expect, test } from "vitest";
import { testKubeconfig, useTesting } from "#harness";
import { Component, promotionFinalizers } from "#promotion";
import { FakeShell } from "../fake-shell.fixture.ts";
import { runCommandLine } from "../run-command-line.ts";

const world = useTesting();

async function tenon(words: readonly string[], typed?: readonly string[]) {
  const env = { NO_COLOR: "1", KUBECONFIG: testKubeconfig() };
  const shell = new FakeShell({ env, ...(typed ? { typed } : {}) });
  const exitCode = await runCommandLine(["promote", "remove-finalizers", "-n", world.namespace, ...words], shell);
  return { exitCode, stdout: shell.stdout.text, stderr: shell.stderr.text };
}

test("what Tenon kept can be deleted after it is gone, and finalizers of others stay", async () => {
  const { apiVersion, kind } = Component;
  const foreign = "example.com/mine";
  const component = { apiVersion, kind, namespace: world.namespace, name: "web" };
  const spec = { componentName: "web", application: "shop", source: { git: { url: "https://git.example/acme/web" } } };
  const finalizers = [promotionFinalizers.component, foreign];
  await world.client.create({
    apiVersion,
    kind,
    metadata: { name: "web", namespace: world.namespace, finalizers },
    spec,
  });
  await world.client.create({ apiVersion, kind, metadata: { name: "free", namespace: world.namespace }, spec });
  await world.scenario("e2e");
  await world.snapshot("s1");
  const name = await world.waitForRun("s1", "e2e");
  const run = world.ref("PipelineRun", name);
  await world.stop();
  await world.client.delete(component);
  await world.client.delete(run);

  const listed = `  - Component ${world.namespace}/web\n  - PipelineRun ${world.namespace}/${name}\n`;
  expect(await tenon(["--dry-run"])).toMatchObject({ exitCode: 0, stdout: listed });
  const refused = await tenon([], ["no"]);
  expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("nothing was changed") });
  expect(await world.client.find(run)).toBeDefined();

  expect(await tenon(["--yes"])).toMatchObject({ exitCode: 0, stdout: `${listed}2 let go\n`, stderr: "" });
  expect(await world.client.find(run)).toBeUndefined();
  const kept = await world.client.get(component);
  expect(kept.metadata.finalizers).toEqual([foreign]);
  await world.client.patch(component, { type: "merge", body: { metadata: { finalizers: null } } });
  expect(await tenon([])).toMatchObject({ exitCode: 0, stdout: "nothing to do\n" });
});
