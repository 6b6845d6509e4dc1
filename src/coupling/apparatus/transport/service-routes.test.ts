import type { LookupFunction } from "node:net";
import { describe, expect, test } from "vitest";
import { connect, createClient, fixedCredentials, HttpAgent } from "#kube";
import { FakeClock } from "../../../base/fake-clock.fixture.ts";
import { recordApparatus } from "../calls/recording-apparatus.fixture.ts";
import { ServiceRoutes } from "./service-routes.ts";

const signal = new AbortController().signal;
const service = { namespace: "app", name: "x-apparatus", clusterIP: "127.0.0.1" };

/** Routes that see an API server on loopback, and of the network what the test says. */
async function setUp(canConnect: (port: number) => boolean, isInCluster = false) {
  const cleanup = new AsyncDisposableStack();
  const server = cleanup.use(await recordApparatus());
  const access = { context: "c", source: "test", server: new URL(server.origin), namespace: "app" };
  const transport = cleanup.use(connect({ ...access, credentials: fixedCredentials({}) }));
  const clock = new FakeClock();
  const asked: number[] = [];
  const resolved: string[] = [];
  const lookup: LookupFunction = (host, _, done) => {
    resolved.push(host);
    done(new Error("no name server"), "");
  };
  const guarded = new HttpAgent({ connect: { timeout: 100, lookup } });
  cleanup.defer(() => guarded.destroy());
  const routes = new ServiceRoutes({
    isInCluster,
    clusterDomain: "cluster.local",
    guarded,
    proxyClient: createClient(transport),
    clock,
    canConnect: async (_, port) => {
      asked.push(port);
      return canConnect(port);
    },
  });
  const headers = { authorization: "Bearer t", "x-integration-id": "i" };
  const send = () =>
    routes.send(service, { method: "POST", path: "/socket/coupled", headers, body: "{}" }, 1_000, signal);
  return { server, send, asked, resolved, clock, [Symbol.asyncDispose]: () => cleanup.disposeAsync() };
}

describe("the Service of an own pod, from outside the cluster", () => {
  test.for([
    { canConnect: () => false, reason: "its address leads nowhere" },
    { canConnect: () => true, reason: "every port answers, as behind a transparent proxy" },
  ])("is called through the API server, with the token in a header of its own: $reason", async ({ canConnect }) => {
    await using world = await setUp(canConnect);
    expect((await world.send()).status).toBe(200);
    expect(world.server.calls).toMatchObject([
      {
        method: "POST",
        path: "/api/v1/namespaces/app/services/http:x-apparatus:http/proxy/socket/coupled",
        headers: { "x-integration-authorization": "Bearer t", "x-integration-id": "i" },
      },
    ]);
    expect(world.server.calls[0]?.headers.authorization).toBeUndefined();
    await world.send();
    expect(world.asked, "remembered").toEqual([80, 443]);
    await world.clock.advance(5 * 60_000 + 1);
    await world.send();
    expect(world.asked, "but not for ever").toHaveLength(4);
  });

  test("is called by its cluster IP if only its own port answers there", async () => {
    await using world = await setUp((port) => port === 80);
    await world.send().catch(() => {});
    expect(world.asked).toEqual([80, 443]);
    expect(world.server.calls).toEqual([]);
  });
});

test("the Service of an own pod is called by its cluster IP in a cluster, whatever its DNS name resolves to", async () => {
  await using world = await setUp(() => false, true);
  await world.send().catch(() => {});
  expect([world.resolved, world.asked, world.server.calls]).toEqual([[], [], []]);
});
