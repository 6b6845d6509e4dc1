import { expect, test } from "vitest";
import { z } from "zod";
import { createMetrics, silentLogger, systemClock } from "#base";
import { startCluster } from "#cluster";
import { startHttpProxy } from "#faults";
import { type TestApi, connectTestApi, temporaryHome } from "#harness";
import {
  type ClusterAccess,
  connect,
  createClient,
  createReflector,
  type KubeClient,
  type KubeObject,
  loadAccess,
  refOf,
} from "#kube";
import { fc, seed } from "#seeded";
import { createController, type Reconciler } from "./controller.ts";
import { done } from "./result.ts";
import { runControllers } from "./run-controllers.ts";

const namespace = "default";
const kind = { apiVersion: "v1", kind: "ConfigMap" };
const path = `/api/v1/namespaces/${namespace}/configmaps`;
const never = new AbortController().signal;

/** Copies each ConfigMap labelled `role=source` to one labelled `role=copy`. */
function startCopying(client: KubeClient) {
  const [clock, random, log] = [systemClock, Math.random, silentLogger];
  const reflect = (role: string) =>
    createReflector({ client, selection: { ...kind, namespace, labelSelector: `role=${role}` }, clock, random, log });
  const [sources, copies] = [reflect("source"), reflect("copy")];
  const seen = new Set<string>();

  const reconcile: Reconciler = async (key, signal) => {
    seen.add(key);
    const source = sources.store.get(key);
    const copy = copies.store.get(`${key}-copy`);
    if (!source) {
      if (copy) await client.delete(refOf(copy), { uid: copy.metadata.uid }, signal);
    } else if (!copy) {
      const { name } = source.metadata;
      const metadata = { namespace, name: `${name}-copy`, labels: { role: "copy", of: name } };
      await client.create({ ...kind, metadata, data: source.data }, {}, signal);
    } else if (textOf(copy) !== textOf(source)) {
      await client.replace({ ...copy, data: source.data }, {}, signal);
    }
    return done;
  };

  const controller = createController({
    name: "copies",
    reconcile,
    sources: [
      { reflector: sources },
      { reflector: copies, keysOf: ({ metadata }) => [`${namespace}/${metadata.labels?.of}`] },
    ],
    concurrency: 4,
    clock,
    random,
    log,
    metrics: createMetrics(),
  });
  const stopping = new AbortController();
  const running = runControllers({ controllers: [controller], clock, log }, stopping.signal);
  return {
    seen,
    isIdle: () => controller.running().length === 0,
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await running;
    },
  };
}

function textOf({ data }: KubeObject): string | undefined {
  return Data.parse(data)?.text;
}

const Data = z.object({ text: z.string() }).optional();
const List = z.object({ items: z.array(z.object({ metadata: z.object({ name: z.string() }), data: Data })) });

async function texts(api: TestApi, role: string): Promise<Record<string, string | undefined>> {
  const { body } = await api.call("GET", `${path}?labelSelector=role%3D${role}`);
  return Object.fromEntries(
    List.parse(body).items.map(({ metadata, data }) => [metadata.name.replace(/-copy$/, ""), data?.text]),
  );
}

const step = fc.record({
  name: fc.constantFrom("a", "b", "c", "d", "e", "f", "g", "h"),
  verb: fc.constantFrom("put", "put", "delete", "spoil the copy", "delete the copy"),
  text: fc.string({ maxLength: 8 }),
});
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** Random edits. One that is refused, like the deletion of an absent object, has no effect. */
async function take(api: TestApi, { name, verb, text }: Step): Promise<void> {
  const labels = verb === "put" ? { role: "source" } : { role: "copy", of: name };
  const object = { metadata: { name: verb === "put" ? name : `${name}-copy`, labels }, data: { text } };
  if (verb === "delete") await api.call("DELETE", `${path}/${name}`);
  else if (verb === "delete the copy") await api.call("DELETE", `${path}/${name}-copy`);
  else if (verb === "put") {
    const made = await api.call("POST", path, object);
    if (made.status === 409) await api.call("PUT", `${path}/${name}`, object);
  } else await api.call("PUT", `${path}/${name}-copy`, object);
}

async function upstreamTls({ credentials, certificateAuthority }: ClusterAccess) {
  const { clientCertificate } = await credentials.current();
  return { ca: certificateAuthority, cert: clientCertificate?.certificate, key: clientCertificate?.key.reveal() };
}

function isWrite({ method }: { readonly method: string }): boolean {
  return method !== "GET";
}

test("through edits in any order and a killed API server the copies end equal, and a second run writes nothing", async () => {
  await using home = await temporaryHome();
  const instance = { home, name: "copies" };
  const cluster = await startCluster(instance, never);
  const access = await loadAccess({ kubeconfig: cluster.kubeconfig });
  await using api = connectTestApi(cluster.kubeconfig);
  await using proxy = await startHttpProxy({ target: access.server, upstream: { tls: await upstreamTls(access) } });
  const anonymous = { current: async () => ({}), renew: async () => false };
  await using transport = connect({ ...access, server: proxy.url, credentials: anonymous });

  const [steps = []] = fc.sample(fc.array(step, { minLength: 150, maxLength: 150 }), { seed, numRuns: 1 });
  {
    await using _ = startCopying(createClient(transport));
    for (const each of steps.slice(0, 75)) await take(api, each);
    if (cluster.pid) process.kill(cluster.pid, "SIGKILL");
    await expect
      .poll(() =>
        api.call("GET", "/readyz").then(
          () => "up",
          () => "down",
        ),
      )
      .toBe("down");
    await startCluster(instance, never);
    for (const each of steps.slice(75)) await take(api, each);
    await expect
      .poll(async () => JSON.stringify(await texts(api, "copy")), { message: `seed ${seed}` })
      .toBe(JSON.stringify(await texts(api, "source")));
  }
  const desired = Object.keys(await texts(api, "source"));
  expect(desired.length).toBeGreaterThan(2);
  expect(proxy.count(isWrite)).toBeGreaterThan(10);

  const before = proxy.count(isWrite);
  await using second = startCopying(createClient(transport));
  await expect.poll(() => second.seen.size).toBe(desired.length);
  await expect.poll(() => second.isIdle()).toBe(true);
  expect(proxy.count(isWrite) - before).toBe(0);
});
