import { expect, test } from "vitest";
import { PlugData } from "#template";
import type { StageResource } from "../kinds/index.ts";
import { inventoryOf } from "./inventory-entries.ts";
import type { ObjectOrigin } from "./mark-object.ts";
import { type RenderedAction, renderResources, renderResultResources } from "./render-resources.ts";

const origin: ObjectOrigin = {
  side: "socket",
  owner: { kind: "Socket", namespace: "prov", name: "s", uid: "socket-uid" },
  plugUid: "plug-uid",
  socketUid: "socket-uid",
};
const data = new PlugData({ plugConfig: { n: "1", odd: 'a: "b"', secret: "hush" } }, [["plugConfig", "secret"]]);
const rendering = { origin, data, isOwn: () => false };
const configMap = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } });
const text = (name: string) => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\n`;
const names = (actions: readonly RenderedAction[]) => actions.map(({ object }) => object.metadata.name);
const render = (...resources: readonly StageResource[]) => renderResources(resources, "coupled", rendering);

const actionsAt = (stage: Parameters<typeof renderResources>[1]) =>
  renderResources([{ template: configMap("a") }], stage, rendering).map((action) => action.do);

test("H42: the four forms of templates are rendered in a fixed order, and their entries in the order of the list", () => {
  const all = {
    stringTemplates: [text("e"), text("f")],
    stringTemplate: text("d"),
    templates: [configMap("b"), configMap("c")],
    template: configMap("a"),
  };
  const actions = render(all, { template: configMap("g") });
  expect(names(actions)).toEqual(["a", "b", "c", "d", "e", "f", "g"]);
  expect(actions.map(({ field }) => field).slice(0, 6)).toEqual(
    ["template", "templates[0]", "templates[1]", "stringTemplate", "stringTemplates[0]", "stringTemplates[1]"].map(
      (form) => `spec.resources[0].${form}`,
    ),
  );
});

test.each([
  { text: "", reason: "nothing" },
  { text: " \n\t\n", reason: "spaces" },
  { text: "# only a comment\n---\n# and another\n", reason: "comments and separators" },
  { text: "{% if eq .plugConfig.n `0` %}kind: X{% endif %}", reason: "a condition that is not met" },
])("X8: a text that renders to nothing makes no object: $reason", ({ text: stringTemplate }) => {
  expect(render({ stringTemplate })).toEqual([]);
});

test("H43: a text of several documents or a List gives all of its objects", () => {
  const list = JSON.stringify({ apiVersion: "v1", kind: "List", items: [configMap("c"), configMap("d")] });
  expect(names(render({ stringTemplate: `${text("a")}---\n${text("b")}---\n${list}` }))).toEqual(["a", "b", "c", "d"]);
});

test("H40: an object gets the namespace of its owner, and another namespace is refused", () => {
  expect(render({ template: configMap("a") })[0]?.object.metadata.namespace).toBe("prov");
  const other = { ...configMap("a"), metadata: { name: "a", namespace: "zzz" } };
  expect(() => render({ template: other })).toThrow("resource namespace zzz must be prov");
});

test.each([
  { stringTemplate: "a: b", reason: "no kind" },
  { stringTemplate: "- a", reason: "a list" },
  { stringTemplate: "a: b: {% .plugConfig.secret %}: [", reason: "no YAML" },
  { stringTemplate: "{apiVersion: v1, kind: ConfigMap, data: {a: {% .plugConfig.secret %}}}", reason: "no name" },
])("H89: a template error names the field and does not show the rendered text: $reason", ({ stringTemplate }) => {
  const error = (() => {
    try {
      return render({ stringTemplate });
    } catch (caught) {
      return caught;
    }
  })();
  expect(String(error)).toContain("spec.resources[0].stringTemplate");
  expect(String(error)).not.toContain("hush");
});

test("X10, X11: without do and when, an object is applied at coupled and updated", () => {
  expect([
    actionsAt("created"),
    actionsAt("coupled"),
    actionsAt("updated"),
    actionsAt("decoupled"),
    actionsAt("deleted"),
  ]).toEqual([[], ["apply"], ["apply"], [], []]);
});

test.each([
  { when: ["coupled"] as const, kept: false, reason: "it is removed at decoupled" },
  { when: ["coupled", "decoupled"] as const, kept: true, reason: "it says itself what happens at decoupled" },
  { when: ["coupled"] as const, more: { retainWhenDecoupled: true }, kept: true, reason: "retained" },
  { when: ["coupled"] as const, more: { preserveWhenDecoupled: true }, kept: true, reason: "the other spelling" },
])(
  "X2, H47: a resource is retained if it handles decoupled itself or says so: $when, $kept, $reason",
  ({ when, more = {}, kept }) => {
    expect(render({ when: [...when], template: configMap("a"), ...more })[0]?.isRetained).toBe(kept);
  },
);

test("X22: an object made at created and coupled belongs to created, and stays until deleted", () => {
  const [action] = render({ when: ["created", "coupled"], template: configMap("a") });
  expect(action).toMatchObject({ stage: "created", isRetained: false });
});

test("an object of coupled only is marked, so that updates do not touch it", () => {
  const actions = render({ when: ["coupled"], template: configMap("a") }, { template: configMap("b") });
  expect(actions.map(({ isOnce }) => isOnce)).toEqual([true, false]);
});

test("values without quotes are reported", () => {
  const raw = `${text("b")}data: {a: {% .plugConfig.odd %}}`;
  const quoted = `${text("c")}data: {a: {% .plugConfig.odd | quote %}}`;
  expect(() => render({ stringTemplate: raw })).toThrow("not valid YAML");
  const mild = `${text("d")}data:\n  a: |\n    {% .plugConfig.odd %}`;
  const actions = render({ stringTemplate: quoted }, { stringTemplate: mild });
  expect(actions.map(({ unquoted }) => unquoted)).toEqual([[], [".plugConfig.odd"]]);
});

test("result resources belong to the result phase, and an object that a later action deletes is not in the inventory", () => {
  const actions = renderResultResources(
    [{ template: configMap("a") }, { template: configMap("b") }, { do: "delete", template: configMap("a") }],
    rendering,
  );
  expect(inventoryOf(actions)).toEqual([
    { group: "", version: "v1", kind: "ConfigMap", namespace: "prov", name: "b", side: "socket", stage: "result" },
  ]);
});
