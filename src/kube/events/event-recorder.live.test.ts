import { afterAll, describe, expect, it } from "vitest";
import { createLogger, Secret } from "#base";
import { internalError, type RequestView, startHttpProxy } from "#faults";
import { testKubeconfig, useNamespace } from "#harness";
import { FakeClock } from "../../base/fake-clock.fixture.ts";
import { createClient } from "../client/client.ts";
import { createEventRecorder } from "./event-recorder.ts";
import { loadAccess } from "../access/kubeconfig.ts";
import type { KubeObject } from "../client/object.ts";
import { accessThrough, presentationOf } from "../transport/proxied-access.fixture.ts";
import { connect } from "../transport/transport.ts";

const { namespace } = useNamespace();
const access = await loadAccess({ kubeconfig: testKubeconfig() });
const transport = connect(access);
afterAll(() => transport[Symbol.asyncDispose]());
const client = createClient(transport);

const applied = { type: "Normal", reason: "Applied", message: "3 objects applied" } as const;
const isWrite = ({ path }: RequestView) => path.includes("/events");

async function recordThroughProxy() {
  const proxy = await startHttpProxy({ target: access.server, upstream: await presentationOf(access) });
  const proxied = connect(accessThrough(access, proxy.url));
  const clock = new FakeClock(Date.now());
  const lines: string[] = [];
  const logger = createLogger({ level: "debug", destination: { write: (line) => void lines.push(line) } });
  const reporter = { controller: "tenon.dev/test", instance: "test-1" };
  const proxiedClient = createClient(proxied);
  const recorder = createEventRecorder(proxiedClient, { reporter, clock, logger });
  const dispose = async () => {
    await proxied[Symbol.asyncDispose]();
    await proxy[Symbol.asyncDispose]();
  };
  return { proxy, clock, recorder, lines, client: proxiedClient, reporter, logger, [Symbol.asyncDispose]: dispose };
}

let serial = 0;
async function makeSubject(): Promise<KubeObject> {
  const name = `subject-${++serial}`;
  return await client.create({ apiVersion: "v1", kind: "ConfigMap", metadata: { namespace, name } });
}

/** As kubectl reads them. */
async function eventsAbout({ metadata: { uid } }: KubeObject, where = namespace): Promise<KubeObject[]> {
  const fieldSelector = `involvedObject.uid=${uid}`;
  return (await client.list({ apiVersion: "v1", kind: "Event", namespace: where, fieldSelector })).items;
}

describe("EventRecorder", () => {
  it("counts 100 equal events in one object, with one call when they come at once", async () => {
    await using world = await recordThroughProxy();
    const about = await makeSubject();
    for (let count = 0; count < 100; count++) world.recorder.record(about, applied);
    await world.recorder.flush();
    expect(await eventsAbout(about)).toMatchObject([
      {
        type: "Normal",
        reason: "Applied",
        message: "3 objects applied",
        reportingComponent: "tenon.dev/test",
        reportingInstance: "test-1",
        involvedObject: { apiVersion: "v1", kind: "ConfigMap", namespace, name: about.metadata.name },
        series: { count: 100 },
      },
    ]);
    expect(world.proxy.count(isWrite)).toBe(1);
  });

  it("writes the first after a moment, and those of the next 10 s together", async () => {
    await using world = await recordThroughProxy();
    const about = await makeSubject();
    world.recorder.record(about, applied);
    await world.clock.advance(999);
    expect(world.proxy.count(isWrite)).toBe(0);
    await world.clock.advance(1);
    await world.proxy.when((request) => isWrite(request) && request.status === 201);
    const [first] = await eventsAbout(about);
    expect(first).toMatchObject({ reason: "Applied" });
    expect(first).not.toHaveProperty("series");
    for (let count = 1; count < 100; count++) {
      world.recorder.record(about, applied);
      await world.clock.advance(100);
    }
    await world.clock.advance(200);
    await world.recorder.flush();
    expect(await eventsAbout(about)).toMatchObject([
      { metadata: { uid: first?.metadata.uid }, series: { count: 100 } },
    ]);
    expect(world.proxy.count(isWrite)).toBeLessThanOrEqual(3);
    expect(world.clock.pending).toBe(0);
  });

  it("makes a new object for another message, another type, another object, and after 10 minutes", async () => {
    await using world = await recordThroughProxy();
    const [about, other] = [await makeSubject(), await makeSubject()];
    world.recorder.record(about, applied);
    world.recorder.record(about, { ...applied, message: "4 objects applied" });
    world.recorder.record(about, { ...applied, type: "Warning" });
    world.recorder.record(other, applied);
    await world.clock.advance(600_000);
    world.recorder.record(about, applied);
    await world.clock.advance(600_001);
    world.recorder.record(about, applied);
    await world.recorder.flush();
    const written = (await eventsAbout(about)).map(({ type, message, series }) => ({ type, message, series }));
    const once = { type: "Normal", message: "3 objects applied", series: undefined };
    expect(written).toHaveLength(4);
    expect(written).toEqual(
      expect.arrayContaining([
        once,
        { ...once, series: expect.objectContaining({ count: 2 }) },
        { ...once, message: "4 objects applied" },
        { ...once, type: "Warning" },
      ]),
    );
    expect(await eventsAbout(other)).toHaveLength(1);
  });

  it("allows an object 25 different events, and then one every 5 minutes", async () => {
    await using world = await recordThroughProxy();
    const [about, other] = [await makeSubject(), await makeSubject()];
    const flood = (object: KubeObject, times: number, word: string) => {
      for (let index = 0; index < times; index++) {
        world.recorder.record(object, { ...applied, message: `${word} ${index}` });
      }
    };
    flood(about, 40, "first");
    flood(other, 1, "first");
    await world.recorder.flush();
    expect(await eventsAbout(about)).toHaveLength(25);
    expect(await eventsAbout(other)).toHaveLength(1);
    await world.clock.advance(300_000);
    flood(about, 5, "second");
    await world.recorder.flush();
    expect(await eventsAbout(about)).toHaveLength(26);
  });

  it("masks secrets", async () => {
    await using world = await recordThroughProxy();
    const about = await makeSubject();
    const secret = new Secret("correct-horse-battery");
    world.recorder.record(about, { ...applied, message: `logged in with ${secret.reveal()}` });
    await world.recorder.flush();
    expect(await eventsAbout(about)).toMatchObject([{ message: "logged in with ***" }]);
  });

  it("writes events of cluster-scoped objects and of objects with unusual names", async () => {
    await using world = await recordThroughProxy();
    const name = `tenon:${namespace}`;
    const role = { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", metadata: { name }, rules: [] };
    const about = await client.create(role);
    world.recorder.record(about, applied);
    await world.recorder.flush();
    const [event, ...more] = await eventsAbout(about, "default");
    expect(event).toMatchObject({ involvedObject: { kind: "ClusterRole", name } });
    expect(more).toEqual([]);
    await client.delete({ ...role, name });
    if (event) await client.delete({ ...event, ...event.metadata });
  });

  it("retries later when the server fails, and continues to count", async () => {
    await using world = await recordThroughProxy();
    const about = await makeSubject();
    world.proxy.answer({ ...internalError(), match: isWrite });
    world.recorder.record(about, applied);
    await world.clock.advance(1_000);
    await world.proxy.when((request) => isWrite(request) && request.status === 500);
    world.recorder.record(about, applied);
    world.proxy.restore();
    await expect.poll(() => world.clock.pending).toBe(1);
    await world.clock.advance(10_000);
    await world.proxy.when((request) => isWrite(request) && request.status === 201);
    expect(await eventsAbout(about)).toMatchObject([{ series: { count: 2 } }]);
  });

  it("makes one object when the answer to its creation is lost", async () => {
    await using world = await recordThroughProxy();
    const about = await makeSubject();
    world.proxy.cut({ match: isWrite, times: 1 });
    world.recorder.record(about, applied);
    await world.clock.advance(1_000);
    await expect.poll(() => world.clock.pending).toBe(1);
    world.recorder.record(about, applied);
    await world.recorder.flush();
    expect(await eventsAbout(about)).toMatchObject([{ series: { count: 2 } }]);
  });

  it("continues in a new Event when the old one was deleted", async () => {
    await using world = await recordThroughProxy();
    const about = await makeSubject();
    world.recorder.record(about, applied);
    await world.recorder.flush();
    const [gone] = await eventsAbout(about);
    if (gone) await client.delete({ ...gone, ...gone.metadata });
    world.recorder.record(about, applied);
    await world.recorder.flush();
    world.recorder.record(about, applied);
    await world.recorder.flush();
    const [fresh, ...more] = await eventsAbout(about);
    expect(fresh).toMatchObject({ series: { count: 3 } });
    expect(fresh?.metadata.name).not.toBe(gone?.metadata.name);
    expect(more).toEqual([]);
  });

  it("warns once when it may not write events", async () => {
    await using world = await recordThroughProxy();
    const nobody = createEventRecorder(client.impersonate({ user: "nobody" }), world);
    for (let index = 0; index < 5; index++) nobody.record(await makeSubject(), applied);
    await nobody.flush();
    expect(world.lines.filter((line) => line.includes('"level":"warn"'))).toHaveLength(1);
    expect(world.lines.filter((line) => line.includes("cannot create resource"))).toHaveLength(5);
  });

  it("does not throw for an invalid object", async () => {
    await using world = await recordThroughProxy();
    const broken: KubeObject = JSON.parse('{"kind":"Nothing"}');
    world.recorder.record(broken, applied);
    expect(world.lines).toHaveLength(1);
  });

  it("an aborted flush ends without throwing", async () => {
    await using world = await recordThroughProxy();
    world.proxy.silence({ match: isWrite });
    world.recorder.record(await makeSubject(), applied);
    const controller = new AbortController();
    const flushing = world.recorder.flush(controller.signal);
    await world.proxy.when(isWrite);
    controller.abort(new Error("shutting down"));
    await flushing;
    expect(world.lines.join("")).toContain("shutting down");
  });
});
