import { expect, test } from "vitest";
import { InputError, type JsonObject, type JsonValue } from "#base";
import { fc } from "#seeded";
import { isTemplate, processTemplate } from "./process-template.ts";

function template(object: JsonObject, parameters: JsonObject[] = [], more: JsonObject = {}): JsonObject {
  return {
    apiVersion: "template.openshift.io/v1",
    kind: "Template",
    metadata: { name: "shop" },
    objects: [{ apiVersion: "v1", kind: "ConfigMap", ...object }],
    parameters,
    ...more,
  };
}

/** An object that is processed, but for its kind. */
function processed(object: JsonObject, parameters: Record<string, string>): JsonValue {
  const declared = Object.keys(parameters).map((name) => ({ name }));
  return withoutKind(processTemplate(template(object, declared), { parameters }).objects[0]);
}

function withoutKind({ apiVersion: _version, kind: _kind, ...object }: JsonObject = {}): JsonObject {
  return object;
}

test.each([
  { reason: "inside a text", value: "a-${X}-b", expected: "a-1-b" },
  { reason: "several in one text", value: "${X}${Y}${X}", expected: "1two1" },
  {
    reason: "G3-12: the reference to an undeclared parameter stays verbatim",
    value: "x-${UNKNOWN}-${X}",
    expected: "x-${UNKNOWN}-1",
  },
  { reason: "G3-13: a parameter alone in double braces is read as JSON", value: "${{X}}", expected: 1 },
  { reason: "G3-13: double braces inside a longer string stay as they are", value: "a${{X}}", expected: "a${{X}}" },
  { reason: "double braces of a value that is not JSON give a string", value: "${{Y}}", expected: "two" },
  { reason: "double braces of a list", value: "${{LIST}}", expected: ["a", { b: null }] },
  { reason: "an unknown name in double braces stays", value: "${{NOPE}}", expected: "${{NOPE}}" },
  { reason: "names have no dots", value: "${X.Y}", expected: "${X.Y}" },
  { reason: "a dollar alone is text", value: "$X $${X}", expected: "$X $1" },
  { reason: "a reference inside a value is not substituted", value: "${SELF}", expected: "${X}" },
  {
    reason: "a later reference fills the first place that reads like it",
    value: "${SELF}-${X}",
    expected: "1-${X}",
  },
  { reason: "double braces of a number too large for JSON's readers", value: "${{HUGE}}", expected: "1e999" },
  { reason: "a replacement's own dollars are text", value: "${DOLLARS}", expected: "$& $1 $$" },
])("B-27: a parameter is substituted as oc does it: $reason", ({ value, expected }) => {
  const parameters = { X: "1", Y: "two", LIST: '["a",{"b":null}]', SELF: "${X}", HUGE: "1e999", DOLLARS: "$& $1 $$" };
  expect(processed({ spec: { list: [value] } }, parameters)).toEqual({ spec: { list: [expected] } });
});

test("B-27: parameters are substituted in keys too, and numbers and booleans stay as they are", () => {
  expect(processed({ data: { "${X}-key": true, n: 1.5, none: null } }, { X: "a" })).toEqual({
    data: { "a-key": true, n: 1.5, none: null },
  });
});

test.each([
  { reason: "a text", value: '"name"', expected: { name: "x", other: null } },
  { reason: "a value that is not JSON is a string", value: "name", expected: { name: "x", other: null } },
])("B-27: parameters in double braces are substituted in keys: $reason", ({ value, expected }) => {
  expect(processed({ data: { "${{K}}": "x", other: null } }, { K: value })).toEqual({ data: expected });
});

test("B-27: a key that double braces turn into a number is refused with advice", () => {
  expect(() => processed({ data: { "${{K}}": "x" } }, { K: "5" })).toThrow(
    expect.objectContaining({ where: "Template shop objects[0]", next: "write it with single braces: ${K}" }),
  );
});

test("B-27: double braces that give null remove a field and keep a list item", () => {
  expect(processed({ data: { gone: "${{N}}", list: ["${{N}}"], own: null } }, { N: "null" })).toEqual({
    data: { list: [null], own: null },
  });
});

test.each([
  {
    reason: "a kind from before API groups",
    apiVersion: "v1",
    kind: "DeploymentConfig",
    expected: "apps.openshift.io/v1",
  },
  { reason: "a kind given by a parameter", apiVersion: "v1", kind: "${KIND}", expected: "route.openshift.io/v1" },
  { reason: "a kind of Kubernetes", apiVersion: "v1", kind: "Service", expected: "v1" },
  {
    reason: "a kind with a group",
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "Role",
    expected: "rbac.authorization.k8s.io/v1",
  },
])("B-27: an object gets the API version that oc gives it: $reason", ({ apiVersion, kind, expected }) => {
  const { objects } = processTemplate(template({ apiVersion, kind }, [{ name: "KIND", value: "Route" }]));
  expect(objects).toEqual([{ apiVersion: expected, kind: kind === "${KIND}" ? "Route" : kind }]);
});

test.each([
  { reason: "an empty namespace stays", namespace: "", expected: { name: "a", namespace: "" } },
  { reason: "a literal namespace is dropped", namespace: "fixed", expected: { name: "a" } },
  { reason: "a namespace given by a parameter stays", namespace: "${X}", expected: { name: "a", namespace: "here" } },
  {
    reason: "a namespace with an unknown parameter stays",
    namespace: "${NO}",
    expected: { name: "a", namespace: "${NO}" },
  },
])("B-27: a literal namespace is dropped from an object, others stay: $reason", ({ namespace, expected }) => {
  expect(processed({ metadata: { name: "a", namespace } }, { X: "here" })).toEqual({ metadata: expected });
});

test("B-27: the template's labels are set on every object and win over its own", () => {
  const { objects } = processTemplate(
    template({ metadata: { name: "a", labels: { app: "own", tier: "web" } } }, [{ name: "X", value: "v" }], {
      labels: { app: "shop", "${X}": "${X}" },
    }),
  );
  expect(objects.map(withoutKind)).toEqual([{ metadata: { name: "a", labels: { app: "shop", tier: "web", v: "v" } } }]);
});

test.each([
  { reason: "an object without a kind", more: { objects: [{ apiVersion: "v1" }] }, where: "objects[0].kind" },
  {
    reason: "a list, which cannot have labels",
    more: { objects: [{ kind: "List", items: [] }], labels: {} },
    where: "objects[0]",
  },
  { reason: "a label that is not a string", more: { labels: { port: 80 } }, where: "labels.port" },
  { reason: "a message that is not a string", more: { message: 1 }, where: ".message" },
  {
    reason: "required that is not a boolean",
    more: { parameters: [{ name: "A", required: "yes" }] },
    where: "parameters[0].required",
  },
])("B-27: an invalid template is refused as oc refuses it: $reason", ({ more, where }) => {
  expect(() => processTemplate(template({}, [], more))).toThrow(
    expect.objectContaining({ name: InputError.name, where: expect.stringContaining(where) }),
  );
});

test("B-27: all required parameters without a value are listed in one error", () => {
  const declared = [{ name: "A", required: true }, { name: "B", required: true, value: "" }, { name: "C" }];
  expect(() => processTemplate(template({}, declared), { where: "deploy.yaml" })).toThrow(
    expect.objectContaining({
      what: "required parameters have no value: A, B",
      where: "deploy.yaml: Template shop",
      next: "give each a value: --param A=… --param B=…",
    }),
  );
});

test("B-28: undeclared parameters are ignored, and a value that is not a string becomes its JSON text", () => {
  const declared = ["T", "N", "L", "F"].map((name) => ({ name }));
  const { objects } = processTemplate(template({ v: ["${T}", "${N}", "${L}", "${F}"] }, declared), {
    parameters: { T: true, N: 1.5, L: ["a"], F: null, OTHER: "x" },
  });
  expect(objects.map(withoutKind)).toEqual([{ v: ["true", "1.5", '["a"]', "null"] }]);
});

test("B-29: a parameter whose value is a number is refused with advice to quote it", () => {
  const declared = [{ name: "CPU", value: 0.5 }];
  expect(() => processTemplate(template({}, declared))).toThrow(
    expect.objectContaining({
      where: "Template shop parameters[0].value",
      next: "put it in quotes: value: '0.5'",
    }),
  );
});

test("B-31: a parameter that is declared twice is refused by name", () => {
  const declared = [{ name: "A" }, { name: "A" }];
  expect(() => processTemplate(template({}, declared))).toThrow("the parameter A is declared twice");
});

test.each([
  { from: "[a-zA-Z0-9]{12}", shape: /^[a-zA-Z0-9]{12}$/ },
  { from: "user-[a-f]{3}-[0-9]{2}", shape: /^user-[a-f]{3}-[0-9]{2}$/ },
  { from: "[\\w]{40}", shape: /^\w{40}$/ },
  { from: "[\\a]{9}", shape: /^[a-zA-Z0-9]{9}$/ },
  { from: "[\\d]{5}", shape: /^\d{5}$/ },
  { from: "[a-Z]{9}", shape: /^[a-zA-Z]{9}$/ },
  { from: "[\\A]{8}", shape: /^[^a-zA-Z0-9\s]{8}$/ },
  { from: "fixed", shape: /^fixed$/ },
  { from: "\\d{5}", shape: /^\\d\{5\}$/ },
])("B-27: generate: expression makes text of the given form: $from", ({ from, shape }) => {
  const values = Array.from({ length: 20 }, () =>
    processTemplate(template({}, [{ name: "P", generate: "expression", from }])).parameters.get("P"),
  );
  for (const value of values) expect(value).toMatch(shape);
  expect(new Set(values).size > 1).toBe(from.includes("["));
});

test("B-27: a given value, or one in the template, is never replaced by a generated one", () => {
  const parameter = { name: "P", generate: "expression", from: "[a]{3}" };
  expect(processTemplate(template({}, [{ ...parameter, value: "kept" }])).parameters.get("P")).toBe("kept");
  for (const given of ["given", ""]) {
    expect(processTemplate(template({}, [parameter]), { parameters: { P: given } }).parameters.get("P")).toBe(given);
  }
});

test.each([
  { reason: "another generator", parameter: { name: "P", generate: "uuid" }, where: "parameters[0].generate" },
  {
    reason: "a range backwards",
    parameter: { name: "P", generate: "expression", from: "[z-a]{3}" },
    where: "parameters[0].from",
  },
  {
    reason: "no range",
    parameter: { name: "P", generate: "expression", from: "[abc]{3}" },
    where: "parameters[0].from",
  },
  {
    reason: "too long",
    parameter: { name: "P", generate: "expression", from: "[a-z]{256}" },
    where: "parameters[0].from",
  },
  { reason: "no name", parameter: { value: "x" }, where: "parameters[0].name" },
])("a parameter that cannot be generated is refused with its field: $reason", ({ parameter, where }) => {
  expect(() => processTemplate(template({}, [parameter]))).toThrow(
    expect.objectContaining({ name: InputError.name, where: `Template shop ${where}` }),
  );
});

test("parameters are substituted in the message", () => {
  const { message } = processTemplate(template({}, [{ name: "X", value: "v" }], { message: "look at ${X}" }));
  expect(message).toBe("look at v");
});

test("processTemplate changes neither its input nor a prototype", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const object: JsonObject = JSON.parse(
        JSON.stringify({ value, __proto__X: 1 }).replace("__proto__X", "__proto__"),
      );
      const before = JSON.stringify(object);
      const [result] = processTemplate(template(object)).objects;
      expect(JSON.stringify(withoutKind(result))).toBe(before);
      expect(JSON.stringify(object)).toBe(before);
    }),
  );
});

test("isTemplate accepts both API versions of Template and no other kind", () => {
  expect(isTemplate({ apiVersion: "v1", kind: "Template" })).toBe(true);
  expect(isTemplate({ apiVersion: "template.openshift.io/v1", kind: "Template" })).toBe(true);
  expect(isTemplate({ apiVersion: "argoproj.io/v1", kind: "Template" })).toBe(false);
});
