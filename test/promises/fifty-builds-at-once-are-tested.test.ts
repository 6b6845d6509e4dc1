import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { silentLogger, valueAt } from "#base";
import { testKubeconfig } from "#harness";
import { connect, createClient, type KubeClient, type KubeObject, loadAccess } from "#kube";
import { Component, installPromotion, promotionAnnotations, promotionLabels, Snapshot } from "#promotion";
import { installTektonKinds, LargeApplication } from "#tekton";
import { startProxyTo, writeKubeconfig } from "./manager/proxied-kubeconfig.ts";
import { startPromote } from "./propagation/promote-process.ts";

const mebibyte = 2 ** 20;
const pipelineRun = { apiVersion: "tekton.dev/v1", kind: "PipelineRun" };
let client: KubeClient;

beforeAll(async () => {
  client = createClient(connect(await loadAccess({ kubeconfig: testKubeconfig() })));
  await installPromotion(client, silentLogger, AbortSignal.timeout(300_000));
  await installTektonKinds(client);
});
afterAll(() => client.transport[Symbol.asyncDispose]());

test("P58: of 50 builds at once in an application of 300 components each has one Snapshot and one test run, and the newest builds are the candidates", async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), "tenon-promote-"));
  await using proxy = await startProxyTo(testKubeconfig());
  await writeKubeconfig(join(directory.path, "kubeconfig"), { proxied: proxy.url });
  const application = new LargeApplication(client, 300);
  await application.create();
  await using _ = startPromote(directory.path, "proxied", ["--promote", "builds,tests"]);
  await expect.poll(async () => (await application.list(Component)).every(isKept), { timeout: 300_000 }).toBe(true);

  const before = proxy.requests.length;
  const builds = await application.startBuilds(50);
  await application.finishBuilds(builds);
  await application.settled();
  const requests = proxy.requests.slice(before).filter(({ path }) => path.includes(application.namespace));
  const writes = requests.filter(({ method }) => method !== "GET");

  const [snapshots, allRuns] = [await application.list(Snapshot), await application.list(pipelineRun)];
  const named = allRuns
    .filter((run) => typeOf(run) === "build")
    .map(({ metadata }) => metadata.annotations?.[promotionAnnotations.snapshot] ?? "");
  expect(named.toSorted()).toEqual(snapshots.map(({ metadata }) => metadata.name).toSorted());
  expect(new Set(named).size).toBe(50);
  for (const snapshot of snapshots) {
    expect(valueAt(snapshot, ["spec", "components"])).toHaveLength(300);
    expect(Buffer.byteLength(JSON.stringify(snapshot))).toBeLessThan(mebibyte);
  }

  const newest = new Map(
    builds.toSorted((one, other) => one.startedAt - other.startedAt).map((build) => [build.component, build.image]),
  );
  expect(newest.size, "components that were built").toBe(40);
  const components = await application.list(Component);
  for (const [component, image] of newest) {
    const found = components.find(({ metadata }) => metadata.name === component);
    expect(valueAt(found, ["status", "lastPromotedImage"])).toBe(image);
  }

  const tests = allRuns.filter((run) => typeOf(run) === "test");
  const tested = tests.map(({ metadata }) => metadata.labels?.[promotionLabels.snapshot] ?? "");
  expect(tested.toSorted()).toEqual(named.toSorted());
  // The JSON of 300 components is larger than what a process takes as one argument.
  for (const run of tests) {
    expect(valueAt(run, ["spec", "params", 0])).toEqual({
      name: "SNAPSHOT",
      value: run.metadata.labels?.[promotionLabels.snapshot],
    });
  }
  // One holds the run, seven lead to the started test, and one says that no forge is known; conflicts repeat a few.
  expect(writes.length, `writes: ${JSON.stringify(countBy(writes))}`).toBeLessThan(10 * 50);
  await client.delete({ apiVersion: "v1", kind: "Namespace", name: application.namespace });
}, 1_200_000);

function typeOf({ metadata }: KubeObject): string | undefined {
  return metadata.labels?.[promotionLabels.runType];
}

function isKept({ metadata }: KubeObject): boolean {
  return metadata.finalizers !== undefined;
}

function countBy(requests: readonly { readonly method: string; readonly path: string }[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { method, path } of requests) {
    const kind = `${method} ${path
      .replace(/\?.*/, "")
      .replace(/^.*\/namespaces\/[^/]+\//, "")
      .replace(/\/[^/]*\d[^/]*/, "/…")}`;
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}
