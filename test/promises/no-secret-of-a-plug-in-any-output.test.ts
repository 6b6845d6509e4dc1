import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, expect, test } from "vitest";
import { redact, valueAt } from "#base";
import { conditionOf, defaultApparatusSettings } from "#coupling";
import { configMapTemplate, useCoupling } from "#harness";
import type { KubeObject } from "#kube";

/** Answers `coupled` with a result, and refuses `decoupled` in words that hold it; for one plug, the result has a list in it. */
const zeta = "hunter22-zeta";
const server = createServer((request, response) => {
  void respond(request, response);
});
async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const isBad = valueAt(await json(request), ["plug", "metadata", "name"]) === "p-s89-answer";
  const tooMuch = Object.fromEntries(Array.from({ length: 1_001 }, (_, nth) => [`key${nth}`, zeta]));
  const answers: Readonly<Record<string, object>> = {
    "/coupled": { result: isBad ? tooMuch : { zeta, unwanted: zeta } },
    "/decoupled": { error: `the account ${zeta} is in use` },
  };
  response.writeHead(request.url === "/decoupled" ? 422 : 200).end(JSON.stringify(answers[request.url ?? ""] ?? {}));
}
server.listen(0, "127.0.0.1");
await once(server, "listening");
afterAll(() => void server.close());
const address = server.address();
const port = typeof address === "object" && address ? address.port : 0;
const debugEndpoints = { plug: `http://127.0.0.1:${port}` };
const world = useCoupling({ apparatusSettings: { ...defaultApparatusSettings, debugEndpoints } });
const on = (name: string) => ({ socket: { name, namespace: world.prov } });

/** Each is used in a way of its own, most of which fail. */
const values = ["hunter22-alpha", "hunter22-beta", "hunter22-gamma", "Hunter22 Delta: #1", "hunter22-epsilon", zeta];

/** Waits until this process no longer knows that a value is secret, as in a new process. */
async function forgotten(value: string): Promise<void> {
  setFlagsFromString("--expose-gc");
  const collectGarbage: () => void = runInNewContext("gc");
  const check = (): string => {
    collectGarbage();
    return redact(value);
  };
  await expect.poll(check, { interval: 10 }).toBe(value);
}

test("H89, F-13, F-14: no value of a Secret or of an apparatus appears in logs, Events, conditions, status or metrics, whatever fails", async () => {
  const [alpha = "", beta = "", gamma = "", delta = "", epsilon = ""] = values;
  const taken = {
    ...configMapTemplate("taken89", { k: "theirs" }),
    metadata: { name: "taken89", namespace: world.prov },
  };
  const labelled = { ...configMapTemplate("x"), metadata: { name: "x", labels: { a: "{% .plugConfig.delta %}" } } };
  await world.apply(
    {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "sec89", namespace: world.app },
      stringData: { alpha, beta, gamma, delta, epsilon },
    },
    taken,
    world.socket("s89", { resources: [{ template: configMapTemplate("h89", { p: "{% .plugConfig.alpha %}" }) }] }),
    world.socket("s89-conflict", {
      resources: [{ template: configMapTemplate("taken89", { k: "{% .plugConfig.beta %}" }) }],
    }),
    world.socket("s89-yaml", { resources: [{ stringTemplate: "a: b: {% .plugConfig.gamma %}: [" }] }),
    world.socket("s89-label", { resources: [{ template: labelled }] }),
    world.socket("s89-fail", {
      resources: [{ template: configMapTemplate("x", { a: "{% fail .plugConfig.epsilon %}" }) }],
    }),
  );
  const apparatus = { endpoint: "http://anywhere.example", containers: [] };
  const plug = (name: string, socket: string, more: object = {}) =>
    world.plug(name, {
      ...on(socket),
      ...more,
      configSecretName: "sec89",
      resultTemplate: { told: "{% .plugConfig.alpha %}", long: "db://x:{% .plugConfig.beta %}@y" },
      resources: [
        { when: ["decoupled"], do: "delete", template: configMapTemplate("left", { a: "{% .plugConfig.epsilon %}" }) },
      ],
    });
  const failing = ["s89-conflict", "s89-yaml", "s89-label", "s89-fail", "s89-answer"];
  await world.apply(
    world.socket("s89-answer", {}),
    plug("p89", "s89"),
    plug("p89-answered", "s89-answer", { apparatus }),
    ...failing.map((name) => plug(`p-${name}`, name, name === "s89-answer" ? { apparatus } : {})),
  );
  await world.waitUntilCoupled("p89");
  await world.waitUntilCoupled("p89-answered");
  const binding = await world.client.get(world.ref("Secret", "p89-answered-integration-result", world.app));
  expect(valueAt(binding, ["data", "zeta"])).toBe(Buffer.from(zeta).toString("base64"));
  const messages = await Promise.all(
    failing.map(async (name) => {
      const found = await world.waitFor(
        world.ref("Plug", `p-${name}`),
        (each) => conditionOf(each, "Failed") !== undefined,
      );
      return conditionOf(found, "Failed")?.["message"];
    }),
  );
  expect(messages.every((message) => typeof message === "string" && message.length > 20)).toBe(true);
  const measured = [(await world.metrics.expose()).body];
  await world.stop();
  await forgotten(zeta);
  await world.client.delete(world.ref("Plug", "p89-answered"), {});
  await world.restart();
  await world.client.delete(world.ref("Plug", "p89"), {});
  await world.waitUntilDeleted(world.ref("Plug", "p89"));
  const refused = await world.waitFor(
    world.ref("Plug", "p89-answered"),
    (each) => conditionOf(each, "Failed") !== undefined,
  );
  expect(conditionOf(refused, "Failed")?.["message"]).toContain("the account *** is in use");
  measured.push((await world.metrics.expose()).body);
  await world.flush();
  const kinds = [
    { apiVersion: "events.k8s.io/v1", kind: "Event" },
    { apiVersion: "integration.rock8s.com/v1beta1", kind: "Plug" },
    { apiVersion: "integration.rock8s.com/v1beta1", kind: "Socket" },
  ];
  const objects: KubeObject[] = [];
  for (const namespace of [world.app, world.prov]) {
    for (const kind of kinds) objects.push(...(await world.client.list({ ...kind, namespace })).items);
  }
  const outputs = JSON.stringify([objects, world.lines, messages, measured]);
  expect(outputs.includes("p-s89-conflict"), "a failure is reported").toBe(true);
  const written = values.map((value) => JSON.stringify(value).slice(1, -1));
  const encoded = values.map((value) => Buffer.from(value).toString("base64").slice(0, -3));
  expect([...values, ...written, ...encoded].filter((value) => outputs.includes(value))).toEqual([]);
});
