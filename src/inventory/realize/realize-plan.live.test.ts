import { beforeEach, describe, expect, test } from "vitest";
import { createLogger, createMetrics, type JsonObject, valueAt } from "#base";
import { never, useManaged, writesIn } from "#harness";
import { createClient, createEventRecorder, type KubeObject, refOf } from "#kube";
import { ClusterClients } from "../current/cluster-clients.ts";
import type { Plan } from "../plan/plan.ts";
import { isFailure } from "./outcome.ts";
import { realizePlan } from "./realize-plan.ts";
import { annotation } from "../object/attribution.ts";

const world = useManaged(["ConfigMap", "Secret", "Service", "Deployment"]);
const { client, namespace, calls, lines } = world;

let serial = 0;
const nextName = () => `n-${++serial}`;

function configMap(name: string, data: JsonObject = { a: "1" }, metadata: JsonObject = {}): JsonObject {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, ...metadata }, data };
}

function deployment(name: string, image: string): JsonObject {
  const labels = { app: name };
  const template = { metadata: { labels }, spec: { containers: [{ name: "main", image }] } };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name },
    spec: { replicas: 0, selector: { matchLabels: labels }, template },
  };
}

async function read(kind: string, name: string): Promise<KubeObject | undefined> {
  const apiVersion = kind === "Deployment" ? "apps/v1" : "v1";
  return await client.find({ apiVersion, kind, namespace, name });
}

beforeEach(async () => {
  for (const kind of ["ConfigMap", "Secret", "Service", "Deployment"]) {
    const apiVersion = kind === "Deployment" ? "apps/v1" : "v1";
    const { items } = await client.list({ apiVersion, kind, namespace });
    for (const item of items) await client.delete(refOf(item));
  }
  calls.length = 0;
  lines.length = 0;
});

describe("create, update, delete", () => {
  test("G7-02: a new object is applied once, with the owner's annotations and the time", async () => {
    const name = nextName();
    const { outcomes, isSuccess } = await world.run([configMap(name)]);
    expect(isSuccess).toBe(true);
    expect(outcomes).toMatchObject([
      { action: "create", state: "done", cluster: "c1", namespace, kind: "ConfigMap", name },
    ]);
    const live = await read("ConfigMap", name);
    expect(live).toMatchObject({ data: { a: "1" }, metadata: { annotations: { [annotation.integration]: "test" } } });
    expect(live?.metadata.annotations?.[annotation.update]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(live?.metadata.managedFields).toMatchObject([{ manager: "tenon", operation: "Apply" }]);
    expect(writesIn(calls)).toEqual([`PATCH /api/v1/namespaces/${namespace}/configmaps/${name}`]);
  });

  test("what is changed is written back, what is left out goes, and what others added stays", async () => {
    const name = nextName();
    await world.run([configMap(name, { a: "1", b: "1" })]);
    const ref = { apiVersion: "v1", kind: "ConfigMap", namespace, name };
    await client.patch(ref, { type: "merge", body: { data: { a: "2", foreign: "x" } }, fieldManager: "kubectl-edit" });
    const { plan, outcomes } = await world.run([configMap(name, { a: "1" })]);
    expect(plan.actions[0]?.diff, "the plan shows both").toEqual([
      { path: "data.a", before: '"2"', after: '"1"', manager: "kubectl-edit" },
      { path: "data.b", before: '"1"' },
    ]);
    expect(outcomes).toMatchObject([{ action: "update", state: "done" }]);
    expect(await read("ConfigMap", name)).toMatchObject({ data: { a: "1", foreign: "x" } });
    expect((await read("ConfigMap", name))?.["data"]).not.toHaveProperty("b");
  });

  test("G7-03: an owned object that is no longer desired is deleted", async () => {
    const [kept, gone] = [nextName(), nextName()];
    await world.run([configMap(kept), configMap(gone)]);
    const { outcomes } = await world.run([configMap(kept)]);
    expect(outcomes).toMatchObject([{ action: "delete", state: "done", name: gone }]);
    expect(await read("ConfigMap", gone)).toBeUndefined();
    expect(await read("ConfigMap", kept)).toBeDefined();
  });

  test("D-37: each action has a record, also in a dry run and when a deletion is held back", async () => {
    const [kept, gone, bad] = [nextName(), nextName(), nextName()];
    await world.run([configMap(kept), configMap(gone)]);
    const service = { apiVersion: "v1", kind: "Service", metadata: { name: bad }, spec: { ports: [{ port: 0 }] } };
    const wanted = [configMap(kept), service];
    const place = { cluster: "c1", namespace, privileged: false };
    const deletion = { ...place, action: "delete", kind: "ConfigMap", name: gone };
    const creation = { ...place, action: "create", kind: "Service", name: bad };
    const dry = await world.run(wanted, { dryRun: true });
    expect(dry.outcomes).toMatchObject([
      { ...creation, state: "planned" },
      { ...deletion, state: "planned" },
    ]);
    const wet = await world.run(wanted);
    expect(wet.outcomes).toMatchObject([
      { ...creation, state: "failed" },
      { ...deletion, state: "skipped" },
    ]);
  });

  test("D-42: a deletion is logged before it is made; a withheld one is logged as an error, and does not fail the run", async () => {
    const [kept, gone, bad] = [nextName(), nextName(), nextName()];
    await world.run([configMap(kept), configMap(gone)]);
    const path = `/api/v1/namespaces/${namespace}/configmaps/${gone}`;
    const service = { apiVersion: "v1", kind: "Service", metadata: { name: bad }, spec: { ports: [{ port: 0 }] } };
    const held = await world.run([configMap(kept), service]);
    expect(held.outcomes.filter(isFailure).map(({ name }) => name)).toEqual([bad]);
    const [told, ...more] = lines.filter((line) => line.includes("withheld")).map((line): unknown => JSON.parse(line));
    expect(told).toMatchObject({ level: "error", msg: "delete withheld", namespace, kind: "ConfigMap", name: gone });
    expect(more).toEqual([]);
    expect(calls).not.toContain(`DELETE ${path}`);

    const callsWhenTold: string[][] = [];
    const log = createLogger({
      destination: {
        write(line) {
          if (line.includes('"line":["delete"')) callsWhenTold.push(writesIn(calls));
        },
      },
    });
    calls.length = 0;
    expect((await world.run([configMap(kept)], { log })).outcomes).toMatchObject([{ action: "delete", state: "done" }]);
    expect(callsWhenTold).toEqual([[]]);
    expect(writesIn(calls)).toEqual([`DELETE ${path}`]);
  });

  test("outcomes come in the order of the plan, however many run at once", async () => {
    const wanted = Array.from({ length: 30 }, (_, index) => configMap(`many-${String(index).padStart(2, "0")}`));
    const { plan, outcomes } = await world.run(wanted, { threadPoolSize: 7 });
    expect(outcomes.map(({ name }) => name)).toEqual(plan.actions.map(({ name }) => name));
  });
});

describe("a dry run", () => {
  test("G7-12, D-45, D-46: a dry run has the same log lines and outcomes, lists the calls it would make, and makes none", async () => {
    const [changed, gone, made] = [nextName(), nextName(), nextName()];
    await world.run([configMap(changed), configMap(gone)]);
    const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: made }, stringData: { password: "hunter22" } };
    const wanted = [configMap(changed, { a: "2" }), secret];
    calls.length = 0;
    lines.length = 0;
    const dry = await world.run(wanted, { dryRun: true });
    expect(writesIn(calls)).toEqual([]);
    const path = `/api/v1/namespaces/${namespace}`;
    expect(
      dry.outcomes.map(({ action, state, calls: told }) => [
        action,
        state,
        ...told.map(({ method, path: at }) => `${method} ${at}`),
      ]),
    ).toEqual([
      ["create", "planned", `PATCH ${path}/secrets/${made}`],
      ["update", "planned", `PATCH ${path}/configmaps/${changed}`],
      ["delete", "planned", `DELETE ${path}/configmaps/${gone}`],
    ]);
    expect(dry.outcomes[0]?.calls[0]?.body).toContain('"data":{"password":"***"}');
    expect(dry.outcomes[1]?.calls[0]?.body).toContain('"data":{"a":"2"}');
    const dryLines = auditLines();
    lines.length = 0;
    await world.run(wanted);
    expect(auditLines()).toEqual(dryLines);
    expect(dryLines).toContainEqual(["delete", "privileged=False", "c1", namespace, "ConfigMap", gone]);
  });
});

function auditLines(): unknown[] {
  return lines.flatMap((line) => {
    const { line: audited }: { line?: unknown } = JSON.parse(line);
    return audited === undefined ? [] : [audited];
  });
}

/** As if the plan were for another namespace. */
function moved(plan: Plan, to: string): Plan {
  const [action] = plan.actions;
  return { ...plan, actions: action ? [{ ...action, namespace: to }] : [] };
}

describe("failures", () => {
  test("D-38: with waitForNamespace, objects are created as soon as their namespace exists", async () => {
    const late = `${namespace}-late`;
    const plan = await world.plan([configMap(nextName())]);
    const elsewhere = moved(plan, late);
    const running = realizePlan(elsewhere, ClusterClients.of({ c1: client }), { waitForNamespace: true }, never);
    await expect.poll(() => calls).toContain(`GET /api/v1/namespaces/${late}`);
    await client.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: late } });
    expect(await running).toMatchObject([{ state: "done" }]);
    await client.delete({ apiVersion: "v1", kind: "Namespace", name: late });
  });

  test("G7-17, D-38: the error of a refused Secret shows the field, and neither its values nor the server's message", async () => {
    const name = nextName();
    const secret = { apiVersion: "v1", kind: "Secret", metadata: { name }, data: { password: "not base64: hunter22" } };
    const { outcomes, isSuccess } = await world.run([secret, configMap(nextName())]);
    expect(isSuccess).toBe(false);
    expect(outcomes.map(({ state }) => state)).toEqual(["failed", "done"]);
    expect(outcomes[0]?.reason).toMatch(/^REDACTED: .*data\.password is not base64$/);
    expect(JSON.stringify([outcomes, lines])).not.toContain("hunter22");
  });

  test("D-44: a failed object stops no other create or update, but all deletions", async () => {
    const [bad, good, stale] = [nextName(), nextName(), nextName()];
    await world.run([configMap(stale), configMap(nextName())]);
    const service = { apiVersion: "v1", kind: "Service", metadata: { name: bad }, spec: { ports: [{ port: 0 }] } };
    const { outcomes } = await world.run([service, configMap(good)]);
    expect(outcomes.map(({ kind, action, state }) => [kind, action, state])).toEqual([
      ["ConfigMap", "create", "done"],
      ["Service", "create", "failed"],
      ["ConfigMap", "delete", "skipped"],
      ["ConfigMap", "delete", "skipped"],
    ]);
    expect(outcomes[1]?.reason).toContain("spec.ports[0].port");
    expect(await read("ConfigMap", stale)).toBeDefined();
  });

  test("D-38: an object that changes between our read and our write is read again, and written", async () => {
    const name = nextName();
    await world.run([deployment(name, "example.invalid/app:1")]);
    const ref = { apiVersion: "apps/v1", kind: "Deployment", namespace, name };
    const plan = await world.plan([deployment(name, "example.invalid/app:2")]);
    let reports = 0;
    const { transport } = client;
    const busy = createClient({
      ...transport,
      async send(request, signal) {
        if (request.method === "PATCH" && reports < 2) {
          reports += 1;
          await client.patch(ref, { type: "merge", body: { metadata: { labels: { report: String(reports) } } } });
        }
        return await transport.send(request, signal);
      },
    });
    const outcomes = await realizePlan(plan, ClusterClients.of({ c1: busy }), {}, never);
    expect(outcomes).toMatchObject([{ action: "update", state: "done" }]);
    const live = await read("Deployment", name);
    expect(valueAt(live, ["spec", "template", "spec", "containers", 0, "image"])).toBe("example.invalid/app:2");
    expect(live?.metadata.labels).toMatchObject({ report: "2" });
  });

  test("a run that is ended leaves the rest undone, and says so", async () => {
    const plan = await world.plan([configMap(nextName())]);
    const outcomes = await realizePlan(plan, ClusterClients.of({ c1: client }), {}, AbortSignal.abort());
    expect(outcomes).toMatchObject([{ state: "skipped", reason: "the run was stopped before" }]);
  });

  test("stopped while it writes, it finishes that write, skips the rest, and says which is which", async () => {
    const stop = new AbortController();
    const { transport } = client;
    const interrupted = createClient({
      ...transport,
      send(request, signal) {
        if (request.method === "PATCH") stop.abort(new Error("Ctrl-C"));
        return transport.send(request, signal);
      },
    });
    const names = [nextName(), nextName(), nextName()];
    const plan = await world.plan(names.map((name) => configMap(name)));
    const clusters = ClusterClients.of({ c1: interrupted });
    const outcomes = await realizePlan(plan, clusters, { threadPoolSize: 1 }, stop.signal);
    const stateOf = new Map(outcomes.map(({ name, state }) => [name, state]));
    expect([...stateOf.values()].toSorted()).toEqual(["done", "skipped", "skipped"]);
    const found = await Promise.all(
      names.map((name) => client.find({ apiVersion: "v1", kind: "ConfigMap", namespace, name })),
    );
    expect(found.map((object) => object !== undefined)).toEqual(names.map((name) => stateOf.get(name) === "done"));
  });

  test("an unknown field is named, and the rest is done", async () => {
    const [bad, good] = ["a-bad", "b-good"];
    const { outcomes } = await world.run([{ ...configMap(bad), dataa: {} }, configMap(good)]);
    expect(outcomes).toMatchObject([{ state: "failed", reason: expect.stringContaining(".dataa") }, { state: "done" }]);
  });
});

test("D-48: metrics count the writes and the time from commit to apply, and a slow apply is logged", async () => {
  const metrics = createMetrics();
  const [quick, kept, gone] = [nextName(), nextName(), nextName()];
  const ignored = configMap(quick, {}, { annotations: { [annotation.ignoreReconcileTime]: "true" } });
  const committedAt = new Date(Date.now() - 90_000);
  await world.run([configMap(kept), configMap(gone), ignored], { metrics, committedAt, slowAfterSeconds: 3600 });
  expect(lines.join("")).not.toContain("took long");
  await world.run([configMap(kept), ignored], { metrics, committedAt, slowAfterSeconds: 60 });
  const { body } = await metrics.expose();
  expect(body).toContain('oc_run_execution_counter{integration="test"} 4');
  expect(body).toContain('since_bundle_commit_bucket{le="150",name="apply",integration="test"} 2');
  expect(body).toContain('since_bundle_commit_bucket{le="60",name="apply",integration="test"} 0');
  expect(body).toContain('since_bundle_commit_bucket{le="150",name="delete",integration="test"} 1');
  const slow = lines.filter((line) => line.includes("took long")).map((line): unknown => JSON.parse(line));
  expect(slow).toMatchObject([
    { msg: "change took long to arrive", verb: "delete", namespace, kind: "ConfigMap", name: gone },
  ]);
});

test("changes and failures are reported as Events on the object", async () => {
  const name = nextName();
  await world.run([configMap(name)]);
  const recorder = createEventRecorder(client, { reporter: { controller: "example.dev/test", instance: "test-1" } });
  const events = () => recorder;
  await world.run([configMap(name, { a: "2" })], { events });
  await world.run([{ ...configMap(name, { a: "3" }), dataa: {} }], { events });
  await recorder.flush();
  const { items } = await client.list({ apiVersion: "events.k8s.io/v1", kind: "Event", namespace });
  const about = items.filter((event) => valueAt(event, ["regarding", "name"]) === name);
  expect(about).toHaveLength(2);
  expect(about).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ type: "Normal", reason: "Applied", note: "changed" }),
      expect.objectContaining({
        type: "Warning",
        reason: "ApplyFailed",
        note: expect.stringContaining(".dataa"),
      }),
    ]),
  );
});
