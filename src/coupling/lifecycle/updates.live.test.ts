import { describe, test } from "vitest";
import { valueAt } from "#base";
import { configMapTemplate, useCoupling } from "#harness";
import type { KubeObject } from "#kube";
import { conditionOf } from "./unparsed-objects.ts";

const world = useCoupling();
const on = (name: string) => ({ socket: { name, namespace: world.prov } });
const stagesOf = async (name: string) =>
  (await world.events("Plug", name)).filter((reason) => reason !== "PlugCreated");

/** The reasons that the plug's condition goes through from now on, until it is coupled with the generation. */
async function reasonsUntil(plug: KubeObject, generation: number): Promise<unknown[]> {
  const { name, resourceVersion } = plug.metadata;
  const seen: unknown[] = [conditionOf(plug, "Coupled")?.["reason"]];
  const selection = { apiVersion: "integration.rock8s.com/v1beta1", kind: "Plug", namespace: world.app };
  for await (const event of world.client.watch(selection, { resourceVersion }, AbortSignal.timeout(300_000))) {
    if (event.type === "BOOKMARK" || event.object.metadata.name !== name) continue;
    const coupled = conditionOf(event.object, "Coupled");
    if (seen.at(-1) !== coupled?.["reason"]) seen.push(coupled?.["reason"]);
    const isSo = coupled?.["reason"] === "CouplingSucceeded" && coupled["observedGeneration"] === generation;
    if (isSo) return seen;
  }
  return seen;
}

const trace = (side: string, stage: string) => ({
  when: [stage],
  template: configMapTemplate(`h60-${side}-${stage}`, { a: "{% .plugConfig.a %}" }),
});

const wishesOf = ({ metadata, spec }: KubeObject) => [metadata.generation, spec];

const isLooping = (plug: KubeObject | undefined): boolean => conditionOf(plug, "UpdateLoop") !== undefined;

const statusOf = (plug: KubeObject | undefined, ...path: string[]): unknown => valueAt(plug, ["status", ...path]);

/** A var that changes with each write of a ConfigMap. */
const versionOf = (name: string, configMap: string) => ({
  name,
  objref: { apiVersion: "v1", kind: "ConfigMap", name: configMap },
  fieldref: { fieldPath: "metadata.resourceVersion" },
});

const withMetadata = (object: KubeObject) => ({
  ...object,
  metadata: { ...object.metadata, labels: { a: "b" }, annotations: { c: "d" } },
});

const both = (side: string) => ["coupled", "updated"].map((stage) => trace(side, stage));

describe.concurrent("updates", () => {
  test("H60: a change of the plug runs updated once, the plug's half first, with the resources for updated only", async ({
    expect,
  }) => {
    const plug = (a: string) => world.plug("p60", { ...on("s60"), config: { a }, resources: both("plug") });
    await world.apply(world.socket("s60", { resources: both("socket") }), plug("1"));
    const before = await world.waitUntilCoupled("p60");
    const coupled = world.ref("ConfigMap", "h60-socket-coupled", world.prov);
    const { resourceVersion } = (await world.client.get(coupled)).metadata;
    expect(await world.client.find(world.ref("ConfigMap", "h60-socket-updated", world.prov))).toBe(undefined);
    const reasons = reasonsUntil(before, 2);
    await world.apply(plug("2"));
    expect(await reasons).toEqual(["CouplingSucceeded", "UpdatingInProcess", "CouplingSucceeded"]);
    expect(await world.dataOf("h60-socket-updated", world.prov)).toEqual({ a: "2" });
    expect((await world.client.get(coupled)).metadata.resourceVersion).toBe(resourceVersion);
    const versions = await Promise.all(
      [
        world.ref("ConfigMap", "h60-plug-updated", world.app),
        world.ref("ConfigMap", "h60-socket-updated", world.prov),
      ].map(async (ref) => Number((await world.client.get(ref)).metadata.resourceVersion)),
    );
    expect(versions).toEqual(versions.toSorted((one, other) => one - other));
    await world.settle();
    await expect.poll(() => stagesOf("p60")).toEqual(["PlugCoupled", "PlugUpdated"]);
  });

  test("H61: a change of the socket runs updated once for each plug, and changes no plug's spec", async ({
    expect,
  }) => {
    const socket = (a: string) =>
      world.socket("s61", {
        config: { a },
        resources: [
          {
            stringTemplate: `{apiVersion: v1, kind: ConfigMap, metadata: {name: "h61-{% .plug.metadata.name %}"}, data: {a: "{% .socketConfig.a %}"}}`,
          },
        ],
      });
    const names = ["p61-a", "p61-b", "p61-c"];
    await world.apply(socket("1"), ...names.map((name) => world.plug(name, on("s61"))));
    const before = await Promise.all(names.map((name) => world.waitUntilCoupled(name)));
    await world.apply(socket("2"));
    const has = (a: string) =>
      Promise.all(
        names.map((name) =>
          world.waitFor(
            world.ref("ConfigMap", `h61-${name}`, world.prov),
            (found) => valueAt(found, ["data", "a"]) === a,
          ),
        ),
      );
    await has("2");
    await world.settle();
    for (const name of names) await expect.poll(() => stagesOf(name)).toEqual(["PlugCoupled", "PlugUpdated"]);
    await world.apply(socket("3"));
    await world.apply(socket("4"));
    await has("4");
    const after = await Promise.all(names.map((name) => world.waitUntilCoupled(name)));
    expect(after.map(wishesOf)).toEqual(before.map(wishesOf));
  });

  test("H62: a new epoch runs updated once", async ({ expect }) => {
    const plug = (epoch: string) => world.plug("p62", { ...on("s62"), epoch });
    await world.apply(world.socket("s62", {}), plug("1"));
    await world.waitUntilCoupled("p62");
    await world.apply(plug("2"));
    await world.waitUntilCoupled("p62");
    await world.apply(plug("2"));
    await world.settle();
    await expect.poll(() => stagesOf("p62")).toEqual(["PlugCoupled", "PlugUpdated"]);
  });

  test("H63: changed labels and annotations of a plug or socket run no stage", async ({ expect }) => {
    await world.apply(world.socket("s63", {}), world.plug("p63", on("s63")));
    const { metadata } = await world.waitUntilCoupled("p63");
    const before = world.calls.length;
    await world.apply(withMetadata(world.socket("s63", {})), withMetadata(world.plug("p63", on("s63"))));
    await world.apply(world.plug("p63-after", on("s63")));
    await world.waitUntilCoupled("p63-after");
    const writes = world.calls.slice(before).filter((call) => /PATCH.*\/plugs\/p63(?:\/|$)/.test(call));
    expect(writes).toEqual([]);
    expect((await world.waitUntilCoupled("p63")).metadata.uid).toBe(metadata.uid);
    expect(await stagesOf("p63")).toEqual(["PlugCoupled"]);
  });

  test("an object of coupled only stays through updates", async ({ expect }) => {
    const resources = [
      { when: ["coupled"], template: configMapTemplate("once") },
      { template: configMapTemplate("kept-up") },
    ];
    const plug = (epoch: string) => world.plug("p-once", { ...on("s-once"), resources, epoch });
    await world.apply(world.socket("s-once", {}), plug("1"));
    await world.waitUntilCoupled("p-once");
    await world.apply(plug("2"));
    await world.waitUntilCoupled("p-once");
    expect(await world.client.find(world.ref("ConfigMap", "once", world.app))).toBeDefined();
    await world.client.delete(world.ref("Plug", "p-once"), {});
    await world.waitUntilDeleted(world.ref("Plug", "p-once"));
    await world.waitUntilDeleted(world.ref("ConfigMap", "once", world.app));
  });

  test("failed result resources are retried although the stage is done and the results are the same", async ({
    expect,
  }) => {
    const plug = (a: string) =>
      world.plug("p-again", {
        ...on("s-again"),
        config: { a },
        result: { r: "same" },
        resultResources: [{ template: configMapTemplate("result-{% .plugConfig.a %}") }],
      });
    await world.apply(world.socket("s-again", {}), plug("one"));
    await world.waitUntilCoupled("p-again");
    await world.apply({
      ...configMapTemplate("result-two", { a: "taken" }),
      metadata: { name: "result-two", namespace: world.app },
    });
    await world.apply(plug("two"));
    await world.waitForReason("p-again", "ApplyConflict");
    await world.client.delete(world.ref("ConfigMap", "result-two", world.app), {});
    await world.waitUntilCoupled("p-again");
    expect(await world.dataOf("result-two", world.app)).toEqual({ a: "b" });
    expect(await world.client.find(world.ref("ConfigMap", "result-one", world.app))).toBe(undefined);
  });

  test("a suspended plug keeps its objects and runs nothing, and so do the plugs of a suspended socket", async ({
    expect,
  }) => {
    const plug = (more: object) => world.plug("p-susp", { ...on("s-susp"), ...more });
    await world.apply(world.socket("s-susp", {}), plug({}));
    await world.waitUntilCoupled("p-susp");
    await world.apply(plug({ suspend: true, suspendReason: "migration", config: { a: "1" } }));
    const held = await world.waitFor(world.ref("Plug", "p-susp"), (found) =>
      String(conditionOf(found, "Coupled")?.["message"]).includes("suspended: migration"),
    );
    expect(conditionOf(held, "Coupled")?.["status"]).toBe("True");
    await world.apply(world.plug("p-susp-new", { ...on("s-susp"), suspend: true }));
    await world.waitForReason("p-susp-new", "Suspended");
    await world.apply(plug({ config: { a: "1" } }), world.plug("p-susp-new", on("s-susp")));
    await Promise.all([world.waitUntilCoupled("p-susp"), world.waitUntilCoupled("p-susp-new")]);
    await world.apply(world.socket("s-susp", { suspend: true, suspendReason: "repairs" }));
    for (const ref of [world.ref("Plug", "p-susp"), world.ref("Socket", "s-susp")]) {
      await world.waitFor(ref, (found) =>
        String(conditionOf(found, "Coupled")?.["message"]).includes("suspended: repairs"),
      );
    }
    await world.client.delete(world.ref("Socket", "s-susp"), {});
    await world.waitUntilDeleted(world.ref("Socket", "s-susp"));
    await world.waitForReason("p-susp", "SocketNotCreated");
  });

  test("Secrets that Tenon promises are put back when they are deleted or changed, and no stage runs for it", async ({
    expect,
  }) => {
    const resources = [{ when: ["decoupled"], template: configMapTemplate("p-kept-gone") }];
    await world.apply(
      world.socket("s-kept", { result: { url: "http://db" }, config: { from: "s" } }),
      world.plug("p-kept", { ...on("s-kept"), resources }),
    );
    const plug = await world.waitUntilCoupled("p-kept");
    expect(valueAt(plug, ["status", "binding", "name"])).toBe("p-kept-integration-result");
    const secrets = [
      world.ref("Secret", "p-kept-integration-result", world.app),
      world.ref("Secret", "p-kept-integration", world.app),
      world.ref("Secret", `s-kept-integration-${String(plug.metadata.uid).slice(0, 8)}`, world.prov),
    ];
    for (const ref of secrets) {
      const before = await world.client.get(ref);
      await world.client.delete(ref, {});
      const again = await world.waitFor(
        ref,
        (found) => found !== undefined && found.metadata.uid !== before.metadata.uid,
      );
      expect(again?.["data"], ref.name).toEqual(before["data"]);
      const [key = ""] = Object.keys(Object(before["data"]));
      await world.client.patch(ref, { type: "merge", body: { data: { [key]: "dGFtcGVyZWQ=" } } });
      await world.waitFor(ref, (found) => valueAt(found, ["data", key]) === valueAt(before, ["data", key]));
    }
    expect(await stagesOf("p-kept")).toEqual(["PlugCoupled"]);
  });

  test("updates that cause each other back off, and the plug stays coupled and names the var", async ({ expect }) => {
    const metadata = { name: "loop", namespace: world.app };
    await world.client.create({ apiVersion: "v1", kind: "ConfigMap", metadata });
    await world.apply(
      world.socket("s-loop", {}),
      world.plug("p-loop", {
        ...on("s-loop"),
        vars: [
          {
            name: "seen",
            objref: { apiVersion: "v1", kind: "ConfigMap", name: "loop" },
            fieldref: { fieldPath: "metadata.resourceVersion" },
          },
        ],
        configTemplate: { seen: "{% .vars.seen %}" },
        resources: [{ template: configMapTemplate("loop", { seen: "{% .plugConfig.seen %}" }) }],
      }),
    );
    const looping = await world.waitFor(
      world.ref("Plug", "p-loop"),
      (plug) => conditionOf(plug, "UpdateLoop") !== undefined && conditionOf(plug, "Coupled")?.["status"] === "True",
    );
    expect(conditionOf(looping, "UpdateLoop")?.["message"]).toMatch(
      /^var seen \(spec\.vars\[0\]\) of Plug .*\/p-loop reads ConfigMap .*\/loop, which this coupling writes/,
    );
    expect(await world.events("Plug", "p-loop")).toContain("UpdateLoop");
  });

  test("a plug that waits with an update for its own output still gets its Secret with the results back", async ({
    expect,
  }) => {
    const metadata = { name: "loop-kept", namespace: world.app };
    await world.client.create({ apiVersion: "v1", kind: "ConfigMap", metadata });
    await world.apply(
      world.socket("s-loop-kept", { result: { url: "http://db" } }),
      world.plug("p-loop-kept", {
        ...on("s-loop-kept"),
        vars: [versionOf("seen", "loop-kept")],
        configTemplate: { seen: "{% .vars.seen %}" },
        resources: [{ template: configMapTemplate("loop-kept", { seen: "{% .plugConfig.seen %}" }) }],
      }),
    );
    const plug = world.ref("Plug", "p-loop-kept");
    await world.waitFor(plug, isLooping);
    const secret = world.ref("Secret", "p-loop-kept-integration-result", world.app);
    const attempt = async () => valueAt(await world.client.get(plug), ["status", "pairing", "attempt"]);
    // The pauses grow, so that soon no update begins in between.
    for (let round = 1; ; round += 1) {
      const before = await attempt();
      const { uid } = (await world.client.get(secret)).metadata;
      await world.client.delete(secret, {});
      const again = await world.waitFor(secret, (found) => found !== undefined && found.metadata.uid !== uid);
      expect(valueAt(again, ["data", "url"])).toBe(Buffer.from("http://db").toString("base64"));
      if ((await attempt()) === before) return;
      expect(round).toBeLessThan(12);
    }
  });

  test("updates for an own output that settles each time and changes later are counted together", async ({
    expect,
  }) => {
    const template = configMapTemplate("slow", { made: "by the plug" });
    const annotations = { "integration.rock8s.com/adopt": "true" };
    await world.client.create({ ...template, metadata: { name: "slow", namespace: world.app, annotations } });
    await world.apply(
      world.socket("s-slow", {}),
      world.plug("p-slow", {
        ...on("s-slow"),
        vars: [
          {
            name: "done",
            objref: { apiVersion: "v1", kind: "ConfigMap", name: "slow" },
            fieldref: { fieldPath: "data.done" },
          },
        ],
        configTemplate: { done: "{% .vars.done %}" },
        resources: [{ do: "recreate", template }],
      }),
    );
    let settled: KubeObject | undefined = await world.waitUntilCoupled("p-slow");
    const inputs = statusOf(settled, "inputsHash");
    const [plug, made] = [world.ref("Plug", "p-slow"), world.ref("ConfigMap", "slow", world.app)];
    // As a Job does that ends some time after it was made: its end leads to another one, and that has not ended.
    for (let round = 1; !isLooping(settled); round += 1) {
      expect(round).toBeLessThan(8);
      const attempt = statusOf(settled, "pairing", "attempt");
      await world.client.patch(made, { type: "merge", body: { data: { done: "1" } } });
      settled = await world.waitFor(plug, (found) => {
        const hashes = [statusOf(found, "inputsHash"), statusOf(found, "pairing", "inputsHash")];
        const isSettledAgain =
          hashes.every((hash) => hash === inputs) && statusOf(found, "pairing", "attempt") !== attempt;
        return isLooping(found) || isSettledAgain;
      });
    }
    const looping = await world.waitUntilCoupled("p-slow");
    expect(conditionOf(looping, "UpdateLoop")?.["message"]).toMatch(/^var done \(spec\.vars\[0\]\)/);
  });

  test("results that change because they were delivered back off, and the plug names the result var", async ({
    expect,
  }) => {
    const metadata = { name: "result-loop", namespace: world.app };
    await world.client.create({ apiVersion: "v1", kind: "ConfigMap", metadata });
    await world.apply(
      world.socket("s-result-loop", {}),
      world.plug("p-result-loop", {
        ...on("s-result-loop"),
        resultVars: [versionOf("seen", "result-loop")],
        resultTemplate: { seen: "{% .resultVars.seen %}" },
        resultResources: [{ template: configMapTemplate("result-loop", { seen: "{% .result.seen %}" }) }],
      }),
    );
    const looping = await world.waitFor(world.ref("Plug", "p-result-loop"), isLooping);
    expect(conditionOf(looping, "Coupled")?.["status"]).toBe("True");
    expect(conditionOf(looping, "UpdateLoop")?.["message"]).toMatch(
      /^var seen \(spec\.resultVars\[0\]\) of Plug .*\/p-result-loop reads ConfigMap .*\/result-loop, which this coupling writes/,
    );
  });

  test("two plugs that read what the other one makes back off, and both stay coupled", async ({ expect }) => {
    const names = ["ping", "pong"] as const;
    const other = { ping: "pong", pong: "ping" } as const;
    for (const name of names) {
      await world.client.create({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: world.app } });
    }
    const plugs = names.map((name) =>
      world.plug(`p-${name}`, {
        ...on("s-circle"),
        vars: [versionOf("seen", other[name])],
        configTemplate: { seen: "{% .vars.seen %}" },
        resources: [{ template: configMapTemplate(name, { seen: "{% .plugConfig.seen %}" }) }],
      }),
    );
    await world.apply(world.socket("s-circle", {}), ...plugs);
    const looping = await Promise.any(names.map((name) => world.waitFor(world.ref("Plug", `p-${name}`), isLooping)));
    expect(conditionOf(looping, "UpdateLoop")?.["message"]).toMatch(
      /^var seen .*, which another coupling writes that reads what this one writes/,
    );
    await Promise.all(names.map((name) => world.waitUntilCoupled(`p-${name}`)));
  });

  test("updates that recreate a Job whose uid is a var back off, and the plug names the var", async ({ expect }) => {
    const spec = {
      suspend: true,
      template: { spec: { restartPolicy: "Never", containers: [{ name: "a", image: "a" }] } },
    };
    const template = { apiVersion: "batch/v1", kind: "Job", metadata: { name: "again" }, spec };
    const annotations = { "integration.rock8s.com/adopt": "true" };
    await world.client.create({ ...template, metadata: { name: "again", namespace: world.app, annotations } });
    await world.apply(
      world.socket("s-again-job", {}),
      world.plug("p-again-job", {
        ...on("s-again-job"),
        vars: [
          {
            name: "job",
            objref: { apiVersion: "batch/v1", kind: "Job", name: "again" },
            fieldref: { fieldPath: "metadata.uid" },
          },
        ],
        configTemplate: { job: "{% .vars.job %}" },
        resources: [{ do: "recreate", template }],
      }),
    );
    const looping = await world.waitFor(
      world.ref("Plug", "p-again-job"),
      (plug) => conditionOf(plug, "UpdateLoop") !== undefined && conditionOf(plug, "Coupled")?.["status"] === "True",
    );
    expect(conditionOf(looping, "UpdateLoop")?.["message"]).toMatch(
      /^var job \(spec\.vars\[0\]\) of Plug .*\/p-again-job reads Job .*\/again, which this coupling writes/,
    );
  });
});
