import { expect, test } from "vitest";
import { configMapTemplate, useCoupling } from "#harness";
import type { KubeObject } from "#kube";
import { useTenant } from "./hostile/use-tenant.ts";

const world = useCoupling();
const tenant = useTenant(world, "injector");

const values = [
  'v","evil":"yes',
  'v"}, "metadata": {"name": "evil", "namespace": "kube-system"}, "x": {"y": "z',
  "v\n  evil: yes",
  "v\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: evil}",
  "v' , evil: 'yes",
  "&a [*a, *a]",
  "!!js/function 'function () {}'",
  "{% env `HOME` %}{% fail `evil` %}",
  "__proto__",
];

async function inProv(kind: string): Promise<readonly KubeObject[]> {
  const { items } = await world.client.list({ apiVersion: "v1", kind, namespace: world.prov });
  return items.filter(({ metadata }) => metadata.name !== "kube-root-ca.crt");
}

test("F-01: a value in an object template of the socket stays a string, whatever it contains", async () => {
  const data = { "key-{% .plug.metadata.name %}": "{% .plugConfig.v %}", plain: "ours" };
  const template = configMapTemplate("made-{% .plug.metadata.name %}", data);
  await world.apply(world.socket("objects", { resources: [{ template }] }));
  const socket = { name: "objects", namespace: world.prov };
  for (const [index, v] of values.entries()) await tenant.create(tenant.plug(`p${index}`, { socket, config: { v } }));
  for (const [index, v] of values.entries()) {
    await tenant.waitUntilCoupled(`p${index}`);
    expect(await world.dataOf(`made-p${index}`, world.prov)).toEqual({ [`key-p${index}`]: v, plain: "ours" });
  }
  expect(await inProv("ConfigMap")).toHaveLength(values.length);
});

const secret = "x\n---\n{apiVersion: v1, kind: Secret, metadata: {name: evil}}";

test.each([
  { reason: "another key", form: "v: {% .plugConfig.v %}", v: "x\n  evil: yes" },
  { reason: "another document", form: "v: {% .plugConfig.v %}", v: secret },
  { reason: "out of single quotes", form: "v: '{% .plugConfig.v %}'", v: "x', evil: 'yes" },
  { reason: "out of squote", form: "v: {% .plugConfig.v | squote %}", v: "x'\n  evil: 'yes" },
  { reason: "out of JSON", form: '"v": "{% .plugConfig.v %}"', v: 'x", "evil": "yes' },
  { reason: "by an annotation", form: "v: {% .plug.metadata.annotations.v %}", v: "x\n  evil: yes" },
  { reason: "through trim", form: "v: {% .plugConfig.v | trim %}", v: `${secret}\n ` },
  { reason: "through b64dec", form: "v: {% .plugConfig.v | b64dec %}", v: Buffer.from(secret).toString("base64") },
  { reason: "by the config of the socket", form: "v: {% .socketConfig.theirs %}", v: `${secret}\n ` },
  { reason: "by the view of the plug", form: "v: {% .plug.spec.config.w %}", v: "x\n  evil: yes" },
])(
  "F-01: a value in a text template of the socket never adds to the objects of the text: $reason",
  async ({ reason, form, v }) => {
    const name = reason.replaceAll(" ", "-").toLowerCase();
    const isFlow = v.includes("evil: 'yes") && !v.includes("\n");
    const isJson = form.startsWith('"');
    const body = isFlow || isJson ? `data: {${form}}` : `data:\n  ${form}`;
    const stringTemplate = `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: text-${name}}\n${body}\n`;
    const accepted = { plug: { v: {}, w: {} }, socket: { theirs: {} } };
    const configTemplate = { theirs: "{% .plugData.v | trim %}" };
    await world.apply(
      world.socket(name, { interface: { config: accepted }, configTemplate, resources: [{ stringTemplate }] }),
    );
    const plug = tenant.plug(name, { socket: { name, namespace: world.prov }, config: { v, w: v }, data: { v } });
    await tenant.create({ ...plug, metadata: { ...plug.metadata, annotations: { v } } });
    const message = await tenant.refusal(name);
    expect(message).toContain("spec.resources[0].stringTemplate");
    expect(message).toMatch(
      /would change the structure of the text; pass it through quote or toJson|renders to text that is not valid YAML/,
    );
    expect((await inProv("ConfigMap")).map(({ metadata }) => metadata.name)).not.toContain(`text-${name}`);
    expect((await inProv("Secret")).map(({ metadata }) => metadata.name)).not.toContain("evil");
  },
);

test("F-01: the same values couple when they are quoted, and the socket's other plugs are unchanged", async () => {
  const stringTemplate = [
    "apiVersion: v1",
    "kind: ConfigMap",
    "metadata: {name: quoted-{% .plug.metadata.name %}}",
    "data: {q: {% .plugConfig.v | quote %}, j: {% .plugConfig.v | toJson %}}",
  ].join("\n");
  await world.apply(world.socket("quoted", { resources: [{ stringTemplate }] }));
  for (const [index, v] of values.entries()) {
    await tenant.create(tenant.plug(`q${index}`, { socket: { name: "quoted", namespace: world.prov }, config: { v } }));
  }
  for (const [index, v] of values.entries()) {
    await tenant.waitUntilCoupled(`q${index}`);
    expect(await world.dataOf(`quoted-q${index}`, world.prov)).toEqual({ q: v, j: v });
  }
});

test.each([
  {
    reason: "another namespace",
    template: { metadata: { name: "x", namespace: "{% .plugConfig.v %}" } },
    v: "kube-system",
    says: "resource namespace kube-system must be",
  },
  {
    reason: "a name that is a path",
    template: { metadata: { name: "{% .plugConfig.v %}" } },
    v: "../../kube-system/x",
    says: "name must not contain",
  },
  {
    reason: "a label that is none",
    template: { metadata: { name: "x", labels: { a: "{% .plugConfig.v %}" } } },
    v: "a b\nc",
    says: "a valid label must",
  },
  {
    reason: "a kind without a namespace",
    template: { kind: "{% .plugConfig.v %}", metadata: { name: "x" } },
    v: "Namespace",
    says: "is cluster-scoped",
  },
])("a value cannot lead an object of the socket elsewhere: $reason", async ({ reason, template, v, says }) => {
  const name = `lead-${reason.replaceAll(" ", "-")}`;
  const object = { apiVersion: "v1", kind: "ConfigMap", ...template };
  await world.apply(world.socket(name, { resources: [{ template: object }] }));
  await tenant.create(tenant.plug(name, { socket: { name, namespace: world.prov }, config: { v } }));
  const message = await tenant.refusal(name);
  expect(message).toContain(says);
  expect(message).toContain("spec.resources[0].template");
});
