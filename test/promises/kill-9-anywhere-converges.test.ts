import { mkdtempDisposable, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { type JsonObject, valueAt } from "#base";
import { type HttpProxy, seededRandom, startHttpProxy } from "#faults";
import { type Managed, testKubeconfig, useManaged } from "#harness";
import { seed } from "#seeded";
import { keepNamespace } from "./managed/keep-namespace.ts";
import { allKinds, configMap, deployment, secret, service } from "./managed/objects.ts";

/** Each has a namespace of its own; while one waits for the cluster, the other computes. */
const lanes = [useManaged(allKinds), useManaged(allKinds)];
const polling = { interval: 100 };
const points = process.env["TENON_SOAK"] ? 200 : 20;

/** Between the two, everything has to be done: objects made, changed, made anew and deleted, and a Deployment that hands its pods over. */
const states: readonly (readonly JsonObject[])[] = ["left", "right"].map((side) => [
  configMap("both", { side }),
  configMap(`only-${side}`),
  secret("key", { side }),
  service("web", side === "left" ? {} : { clusterIP: "None" }),
  deployment("app", { app: side }),
]);

const Kubeconfig = z.object({
  clusters: z.tuple([z.object({ cluster: z.object({ server: z.url(), "certificate-authority-data": z.base64() }) })]),
  users: z.tuple([
    z.object({ user: z.object({ "client-certificate-data": z.base64(), "client-key-data": z.base64() }) }),
  ]),
});

/** Sees every call of the process, so that it can be killed at each of them. */
async function startProxy(): Promise<HttpProxy> {
  const { clusters, users } = Kubeconfig.parse(JSON.parse(await readFile(testKubeconfig(), "utf8")));
  const { server, "certificate-authority-data": ca } = clusters[0].cluster;
  const { "client-certificate-data": cert, "client-key-data": key } = users[0].user;
  const [authority, certificate, secretKey] = [ca, cert, key].map((text) => Buffer.from(text, "base64"));
  const tls = { ca: authority ?? "", cert: certificate ?? "", key: secretKey ?? "" };
  return await startHttpProxy({ target: new URL(server), upstream: { tls } });
}

async function writeKubeconfig(directory: string, server: URL): Promise<string> {
  const file = join(directory, "kubeconfig");
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "proxied", cluster: { server: server.href } }],
    users: [{ name: "anonymous", user: {} }],
    contexts: [{ name: "proxied", context: { cluster: "proxied", user: "anonymous" } }],
    "current-context": "proxied",
  };
  await writeFile(file, JSON.stringify(config));
  return file;
}

test(`killed at any call and started again, the same end state is reached (seed ${seed})`, async () => {
  const killed = await Promise.all(lanes.map((world, lane) => killAgainAndAgain(world, seed + lane)));
  expect(killed.flat().length).toBeGreaterThan(points / 2);
}, 900_000);

/** Gives back the calls at which the process was killed; the other rounds were over before. */
async function killAgainAndAgain(world: Managed, laneSeed: number): Promise<number[]> {
  const random = seededRandom(laneSeed);
  await using directory = await mkdtempDisposable(join(tmpdir(), "tenon-kill-"));
  await using proxy = await startProxy();
  await using kept = await keepNamespace(await writeKubeconfig(directory.path, proxy.url), world.namespace);
  const [left = []] = states;
  expect(await (await kept.start(left)).ended).toMatchObject({ code: 0 });

  let longest = 20;
  const killed: number[] = [];
  for (let round = 1; round <= points / lanes.length; round += 1) {
    const wanted = states[round % 2] ?? [];
    const before = proxy.requests.length;
    const point = 3 + Math.floor(random() * (longest - 3));
    const { child, ended } = await kept.start(wanted);
    await Promise.race([proxy.when(() => true, before + point), ended]);
    child.kill("SIGKILL");
    await ended;
    if (child.signalCode === "SIGKILL") killed.push(point);

    const resumed = proxy.requests.length;
    const last = await (await kept.start(wanted)).ended;
    expect(last.code, `killed at call ${point}: ${last.output}${last.log}`).toBe(0);
    longest = Math.max(longest, proxy.requests.length - resumed);
    expect(await world.plan(wanted, { integration: "keep-namespace" }), `killed at call ${point}`).toMatchObject({
      actions: [],
      refusals: [],
      unchanged: wanted.length,
    });
    // The pods of the Deployment's predecessor are gone, however the handing over went.
    const side = round % 2 === 0 ? "left" : "right";
    await expect.poll(() => running(world), { ...polling, message: `killed at call ${point}` }).toEqual([side]);
  }
  return killed;
}

async function running({ client, namespace }: Managed): Promise<unknown[]> {
  const { items } = await client.list({ apiVersion: "v1", kind: "Pod", namespace });
  return items.map((pod) => valueAt(pod, ["metadata", "labels", "app"]));
}
