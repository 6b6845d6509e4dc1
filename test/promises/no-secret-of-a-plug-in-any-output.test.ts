import { expect, test } from "vitest";
import { conditionOf } from "#coupling";
import { configMapTemplate, useCoupling } from "#harness";
import type { KubeObject } from "#kube";

const world = useCoupling();
const on = (name: string) => ({ socket: { name, namespace: world.prov } });

/** Each is used in a way of its own, most of which fail. */
const values = ["hunter22-alpha", "hunter22-beta", "hunter22-gamma", "Hunter22 Delta: #1", "hunter22-epsilon"];

test("H89, F-13, F-14: no value of a Secret is in the log, in Events, conditions, status or metrics, whatever fails", async () => {
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
  const plug = (name: string, socket: string) =>
    world.plug(name, {
      ...on(socket),
      configSecretName: "sec89",
      resultTemplate: { told: "{% .plugConfig.alpha %}", long: "db://x:{% .plugConfig.beta %}@y" },
      resources: [
        { when: ["decoupled"], do: "delete", template: configMapTemplate("left", { a: "{% .plugConfig.epsilon %}" }) },
      ],
    });
  const failing = ["s89-conflict", "s89-yaml", "s89-label", "s89-fail"];
  await world.apply(plug("p89", "s89"), ...failing.map((name) => plug(`p-${name}`, name)));
  await world.untilCoupled("p89");
  const messages = await Promise.all(
    failing.map(async (name) => {
      const found = await world.until(
        world.ref("Plug", `p-${name}`),
        (each) => conditionOf(each, "Failed") !== undefined,
      );
      return conditionOf(found, "Failed")?.["message"];
    }),
  );
  expect(messages.every((message) => typeof message === "string" && message.length > 20)).toBe(true);
  const measured = [(await world.metrics.expose()).body];
  await world.restart();
  await world.client.delete(world.ref("Plug", "p89"), {});
  await world.untilGone(world.ref("Plug", "p89"));
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
  expect(outputs.includes("p-s89-conflict"), "what fails is told").toBe(true);
  const written = values.map((value) => JSON.stringify(value).slice(1, -1));
  const encoded = values.map((value) => Buffer.from(value).toString("base64").slice(0, -3));
  expect([...values, ...written, ...encoded].filter((value) => outputs.includes(value))).toEqual([]);
});
