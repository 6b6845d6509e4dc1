import { mkdtempDisposable, readdir, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { describeError, silentLogger, systemClock } from "#base";
import { type RequestView, startHttpProxy } from "#faults";
import { type ClusterAccess, connect, createClient, type KubeClient, type KubeObject } from "#kube";
import { rememberInstallation } from "../environments/installation.ts";
import { namespaceProvider } from "../environments/namespace-provider.ts";
import { laterBy, useEnvironments } from "../environments/use-environments.fixture.ts";
import { environmentDriver } from "./driver-names.ts";
import { EnvironmentPlugin } from "./environment-plugin.ts";
import { PreparedClaims } from "./prepared-claims.ts";
import { resourceVersion } from "./resource-slice.ts";

const world = useEnvironments();
const { namespace } = world;
const claimKind = { apiVersion: resourceVersion, kind: "ResourceClaim" };

/** A ResourceClaim that the scheduler has given an environment of a class. */
async function allocatedClaim(name: string, className: string) {
  const requests = [{ name: "env", exactly: { deviceClassName: "any" } }];
  const made = await world.client.create({
    ...claimKind,
    metadata: { name, namespace },
    spec: { devices: { requests } },
  });
  const opaque = { driver: environmentDriver, parameters: { className } };
  const results = [{ request: "env", driver: environmentDriver, pool: "node", device: "slot-0" }];
  const status = { allocation: { devices: { results, config: [{ source: "FromClass", opaque }] } } };
  await world.client.patch(
    { ...claimKind, namespace, name },
    { type: "merge", subresource: "status", body: { status } },
  );
  return { namespace, name, uid: made.metadata.uid ?? "" };
}

/** A driver's plugin with its files; another clock is another process, later. */
async function usePlugin() {
  const folder = await mkdtempDisposable(join(tmpdir(), "tenon-plugin-"));
  const directory = join(folder.path, "claims");
  const cdiDirectory = join(folder.path, "cdi");
  const start = (clock = systemClock, client: KubeClient = world.client) =>
    new EnvironmentPlugin({
      client,
      provider: namespaceProvider({
        client,
        server: "https://kubernetes.default.svc",
        certificateAuthority: undefined,
        installation: rememberInstallation(client),
      }),
      files: new PreparedClaims({ directory, cdiDirectory }),
      clock,
      log: silentLogger,
    });
  return {
    start,
    kubeconfigOf: (uid: string) => readFile(join(directory, uid, "mounted", "kubeconfig"), "utf8"),
    files: async () => (await Promise.all([readdir(directory), readdir(cdiDirectory)])).flat(),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

/** What the event of the pod says when its claim cannot be prepared. */
async function refusalOf(name: string, className: string): Promise<string> {
  await using plugin = await usePlugin();
  const claim = await allocatedClaim(name, className);
  return await plugin
    .start()
    .prepare(claim, new AbortController().signal)
    .then(
      () => "prepared",
      (error: unknown) => describeError(error),
    );
}

test("a pod whose class is on another cluster is refused, makes no claim, and its event names the Secret of an EphemeralClaim instead", async () => {
  const className = await world.createClass("elsewhere", { provider: "cluster", cluster: { secretName: "elsewhere" } });
  expect(await refusalOf("elsewhere", className)).toBe(
    `the environments of EphemeralClass ${className} are on another cluster; make an EphemeralClaim, and use its Secret as a workspace: the driver may not read Secrets, where the token is`,
  );
  expect((await world.client.list(world.claims)).items).toEqual([]);
});

test("a pod whose class does not exist is refused, and told where its name comes from", async () => {
  expect(await refusalOf("unknown", `${namespace}-unknown`)).toBe(
    `EphemeralClass ${namespace}-unknown not found; create it, or name another in the parameters of the DeviceClass`,
  );
});

test("the token of a pod that runs is replaced before it ends, and a driver that starts removes the files of a claim that is gone", async () => {
  await using plugin = await usePlugin();
  const stop = await world.start();
  const claim = await allocatedClaim("runs", await world.createClass("here"));
  await plugin.start().prepare(claim, new AbortController().signal);
  const first = await plugin.kubeconfigOf(claim.uid);

  // Tokens are valid for an hour.
  await keepWhile(plugin.start(laterBy(50 * 60_000)), async () => {
    await expect.poll(() => plugin.kubeconfigOf(claim.uid), polling).not.toBe(first);
  });

  await world.client.delete({ ...claimKind, namespace, name: claim.name });
  await keepWhile(plugin.start(), async () => {
    await expect.poll(() => plugin.files(), polling).toEqual([]);
    await expect.poll(async () => (await world.client.list(world.claims)).items, polling).toEqual([]);
  });
  await stop();
});

test("P66: an API server that is away once it has made a claim makes no second environment, and its return gives the pod the first", async () => {
  await using plugin = await usePlugin();
  const { access } = world;
  await using proxy = await startHttpProxy({ target: access.server, upstream: { tls: await upstreamTls(access) } });
  const anonymous = { current: async () => ({}), renew: async () => false };
  await using transport = connect({ ...access, server: proxy.url, credentials: anonymous });
  const prepare = () => plugin.start(systemClock, createClient(transport)).prepare(claim, new AbortController().signal);
  const stop = await world.start();
  const claim = await allocatedClaim("away", await world.createClass("away"));

  // The claim is made, and neither this answer nor any later one gets through.
  const lost = proxy.cut({ match: makesClaim });
  const first = outcomeOf(prepare());
  await lost.reached;
  proxy.cut({});
  expect(await first).toBe("failed");
  const [made, ...others] = (await world.client.list(world.claims)).items;
  if (!made) throw new Error("expected the claim that was made");
  expect(others).toEqual([]);
  const isTheOnlyOne = async () =>
    expect((await world.client.list(world.claims)).items.map(uidOf)).toEqual([made.metadata.uid]);
  await world.untilPhase(made.metadata.name, "Ready");
  expect(await outcomeOf(prepare())).toBe("failed");
  await isTheOnlyOne();

  proxy.restore();
  await prepare();
  await isTheOnlyOne();
  expect(await plugin.kubeconfigOf(claim.uid)).toContain(world.environmentOf(made));
  await plugin.start().unprepare(claim, new AbortController().signal);
  await world.untilPhase(made.metadata.name, undefined);
  expect(await plugin.files()).toEqual([]);
  await stop();
});

const polling = { interval: 50, timeout: 300_000 };

/** Runs a driver's loop until something is so. */
async function keepWhile(plugin: EnvironmentPlugin, isSo: () => Promise<void>): Promise<void> {
  const ending = new AbortController();
  const kept = plugin.keepPrepared(ending.signal);
  await isSo();
  ending.abort();
  await kept;
}

function outcomeOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => "prepared",
    () => "failed",
  );
}

function makesClaim({ method, path }: RequestView): boolean {
  return method === "POST" && path.includes("/ephemeralclaims");
}

function uidOf({ metadata }: KubeObject): string | undefined {
  return metadata.uid;
}

/** A client certificate ends at the proxy, which has it instead. */
async function upstreamTls({ credentials, certificateAuthority }: ClusterAccess) {
  const { clientCertificate } = await credentials.current();
  return { ca: certificateAuthority, cert: clientCertificate?.certificate, key: clientCertificate?.key.reveal() };
}
