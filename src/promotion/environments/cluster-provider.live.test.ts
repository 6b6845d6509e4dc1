import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { silentLogger } from "#base";
import { startCluster, stopCluster } from "#cluster";
import { temporaryHome } from "#harness";
import { connect, createClient, type KubeClient, loadAccess } from "#kube";
import { environmentLabels } from "../kinds/environment-names.ts";
import { installEnvironments } from "./install-environments.ts";
import { messageOf, useEnvironments } from "./use-environments.fixture.ts";

const world = useEnvironments();
const { namespace } = world;
const never = new AbortController().signal;
let home: Awaited<ReturnType<typeof temporaryHome>>;
let other: KubeClient;

beforeAll(async () => {
  home = await temporaryHome();
  const { kubeconfig } = await startCluster({ home, name: "elsewhere" }, never);
  other = createClient(connect(await loadAccess({ kubeconfig })));
  await installEnvironments(other, silentLogger, never);
  const metadata = { name: "elsewhere", namespace };
  const stringData = { kubeconfig: await readFile(kubeconfig, "utf8") };
  await world.client.create({ apiVersion: "v1", kind: "Secret", metadata, stringData });
});
afterAll(async () => {
  await other.transport[Symbol.asyncDispose]();
  await stopCluster({ home, name: "elsewhere" }, never);
  await home[Symbol.asyncDispose]();
});

const namespaceRef = (name: string) => ({ apiVersion: "v1", kind: "Namespace", name });

async function untilGoneElsewhere(name: string): Promise<void> {
  await expect.poll(() => other.find(namespaceRef(name)), { timeout: 300_000 }).toBeUndefined();
}

test("P68: a class of another cluster gives environments there, and removes them", async () => {
  const stop = await world.start();
  const className = await world.createClass("elsewhere", { provider: "cluster", cluster: { secretName: "elsewhere" } });
  await world.createClaim("remote", { className });
  const environment = world.environmentOf(await world.untilPhase("remote", "Ready"));
  const inside = await world.clientOf("remote");
  await inside.create({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "app", namespace: environment } });
  expect(await other.find(namespaceRef(environment))).toBeDefined();
  expect(await world.client.find(namespaceRef(environment))).toBeUndefined();
  await world.client.delete({ ...world.claims, name: "remote" });
  await world.untilPhase("remote", undefined);
  expect(await other.find(namespaceRef(environment))).toBeUndefined();
  await stop();
});

test("environments of another cluster whose claim was removed by force are swept, and those of others are not", async () => {
  const stop = await world.start();
  await world.createClaim("forced", { className: world.className("elsewhere") });
  const environment = world.environmentOf(await world.untilPhase("forced", "Ready"));
  await stop();
  const labels = { [environmentLabels.claimUid]: "theirs", [environmentLabels.installation]: "another" };
  await other.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: "env-of-another", labels } });
  const ref = { ...world.claims, name: "forced" };
  await world.client.patch(ref, { type: "merge", body: { metadata: { finalizers: [] } } });
  await world.client.delete(ref);
  await world.untilPhase("forced", undefined);
  const stopLater = await world.start();
  await untilGoneElsewhere(environment);
  const left = await other.get(namespaceRef("env-of-another"));
  expect(left.metadata.deletionTimestamp).toBeUndefined();
  await stopLater();
});

test("a class that names a Secret which does not exist says so on its claims", async () => {
  const stop = await world.start();
  const className = await world.createClass("nowhere", { provider: "cluster", cluster: { secretName: "none" } });
  await world.createClaim("nowhere", { className });
  expect(messageOf(await world.untilPhase("nowhere", "Failed"))).toContain(`Secret ${namespace}/none`);
  await stop();
});
