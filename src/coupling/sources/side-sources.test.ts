import { expect, test } from "vitest";
import type { KubeObject } from "#kube";
import { samplePair } from "../kinds/sample-pair.fixture.ts";
import { listSources } from "./read-sources.ts";
import { configMap, resolveSample, secret } from "./resolve-sample.fixture.ts";
import { plainTexts } from "./template-data.ts";

const pod: KubeObject = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web", namespace: "app" },
  spec: { containers: [{ name: "c0", image: "i0" }], priority: 1_234_567 },
};
const objref = { apiVersion: "v1", kind: "Pod", name: "web" };
const deployment = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web", namespace: "app" } };
const found = [pod, deployment, secret("app/sec", { a: "d3coded" })];

async function vars(...list: readonly object[]): Promise<Readonly<Record<string, string>>> {
  return plainTexts((await resolveSample({ vars: list }, {}, found)).plugVars);
}

test("H30: the values of vars are strings", async () => {
  const list = [
    { name: "image", objref, fieldref: { fieldPath: "spec.containers.0.image" } },
    { name: "priority", objref, fieldref: { fieldPath: "spec.priority" } },
    { name: "all", objref, fieldref: { fieldPath: "spec.containers" } },
  ];
  expect(await vars(...list)).toEqual({ image: "i0", priority: "1234567", all: '[{"name":"c0","image":"i0"}]' });
});

test("H30: an invalid field path is reported with object, field and column", async () => {
  const list = [{ name: "x", objref, fieldref: { fieldPath: "spec.*" } }];
  await expect(vars(...list)).rejects.toThrow('Plug app/p spec.vars[0].fieldref: field path "spec.*", column 6: ');
});

test("H31: a var that refers to another namespace is refused", async () => {
  const refused = vars({ name: "x", objref: { ...objref, namespace: "other" } });
  await expect(refused).rejects.toThrow("var objRef namespace other must be app");
  expect(await vars({ name: "x", objref: { ...objref, namespace: "app" } })).toEqual({ x: "web" });
});

test("H31: a var whose namespace is a template may not refer to another namespace either", async () => {
  const refused = vars({ name: "x", objref: { ...objref, templateNamespace: "{% .socket.metadata.namespace %}" } });
  await expect(refused).rejects.toThrow("var objRef namespace prov must be app");
});

test("H32: an objref with version alone means the core group, and with group means that group", async () => {
  const plug = {
    vars: [{ name: "v", objref: { version: "v1", kind: "Secret", name: "sec" }, fieldref: { fieldPath: "data.a" } }],
    configTemplate: { a: "{% .vars.v | b64dec %}" },
  };
  const { plugConfig } = await resolveSample(plug, {}, found);
  expect(plugConfig.get("a")).toMatchObject({ value: "d3coded", isSecret: true });
  const grouped = { name: "x", objref: { group: "apps", version: "v1", kind: "Deployment", name: "web" } };
  expect(await vars(grouped)).toEqual({ x: "web" });
});

test("H33: the name in an objref may be a template, and a socket's var is looked up in the socket's namespace", async () => {
  const templateName = "{% .plug.metadata.name %}-{% .plug.metadata.namespace %}";
  const socket = { vars: [{ name: "v", objref: { apiVersion: "v1", kind: "ConfigMap", templateName } }] };
  const { socketVars } = await resolveSample({}, socket, [configMap("prov/p-app", {})]);
  expect(plainTexts(socketVars)).toEqual({ v: "p-app" });
  expect(listSources(samplePair({}, socket))).toMatchObject([
    { side: "socket", namespace: "prov", name: "p-app", field: "spec.vars[0]" },
  ]);
});

test("H34: a missing object of a var is an error, a missing field is the empty string", async () => {
  const nobody = { name: "x", objref: { ...objref, name: "nobody" } };
  await expect(vars(nobody)).rejects.toThrow("Plug app/p spec.vars[0]: Pod app/nobody does not exist");
  expect(await vars({ name: "x", objref, fieldref: { fieldPath: "spec.nope" } })).toEqual({ x: "" });
});

test("H35: a var without a field path is the name of its object", async () => {
  const list = [
    { name: "a", objref },
    { name: "b", objref, fieldref: {} },
    { name: "c", objref, fieldref: { fieldPath: "" } },
  ];
  expect(await vars(...list)).toEqual({ a: "web", b: "web", c: "web" });
});

test("if two vars have the same name, the last one wins", async () => {
  const list = [
    { name: "a", objref, fieldref: { fieldPath: "spec.priority" } },
    { name: "a", objref },
  ];
  expect(await vars(...list)).toEqual({ a: "web" });
});

test("a side does not see the vars of the other side", async () => {
  const plug = { vars: [{ name: "v", objref }], configTemplate: { own: "{% .vars.v %}" } };
  const socket = { configTemplate: { foreign: "<{% .vars.v %}>" } };
  const { plugConfig, socketConfig } = await resolveSample(plug, socket, found);
  expect([plainTexts(plugConfig), plainTexts(socketConfig)]).toEqual([{ own: "web" }, { foreign: "<>" }]);
});
