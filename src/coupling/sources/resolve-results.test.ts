import { expect, test } from "vitest";
import { Secret } from "#base";
import type { KubeObject } from "#kube";
import { samplePair } from "../kinds/sample-pair.fixture.ts";
import { listResultSources } from "./read-sources.ts";
import { configMap, FakeReader, secret } from "./resolve-sample.fixture.ts";
import { resolveInputs, resolveResults } from "./resolve-values.ts";
import type { AnsweredResults } from "./resolved.ts";
import { plainTexts } from "./template-data.ts";

const never = new AbortController().signal;

async function resolve(
  plugSpec: object,
  socketSpec: object,
  objects: readonly KubeObject[] = [],
  answered: AnsweredResults = {},
) {
  const { plug, socket } = samplePair(plugSpec, socketSpec);
  const { as } = new FakeReader(...objects);
  const inputs = await resolveInputs(plug, socket, as, {}, never);
  return await resolveResults(plug, socket, inputs, as, answered, never);
}

/** As plain texts, or what is waited for. */
async function results(...args: Parameters<typeof resolve>) {
  const found = await resolve(...args);
  if ("waiting" in found) return found.waiting;
  return { plug: plainTexts(found.plugResult), socket: plainTexts(found.socketResult) };
}

test("H16: results are checked against their halves of the interface", async () => {
  const socket = {
    interface: { result: { socket: { foo: { required: true } }, plug: { bar: {} } } },
    result: { foo: "F", junk: "J" },
  };
  expect(await results({ result: { bar: "B" } }, socket)).toEqual({ plug: { bar: "B" }, socket: { foo: "F" } });
});

test.each(["plug", "socket"])("H15: an empty result is waited for, and a default replaces it: %s", async (side) => {
  const half = { a: { required: true }, b: { default: "d" } };
  const own = { result: { a: "", b: "" } };
  const socket = { interface: { result: { [side]: half } } };
  const [plugSpec, socketSpec] = side === "plug" ? [own, socket] : [{}, { ...socket, ...own }];
  expect(await results(plugSpec, socketSpec)).toBe(`${side} result property 'a' is required`);
  const later = { result: { a: "here", b: "" } };
  const [plugLater, socketLater] = side === "plug" ? [later, socket] : [{}, { ...socket, ...later }];
  expect(await results(plugLater, socketLater)).toMatchObject({ [side]: { a: "here", b: "d" } });
});

test("X13: a result that is an empty string counts as missing in both halves", async () => {
  const half = { a: { required: true } };
  expect(await results({ result: { a: "" } }, { interface: { result: { plug: half, socket: half } } })).toBe(
    "plug result property 'a' is required; socket result property 'a' is required",
  );
});

test("H20: a result comes from Secret, result, resultTemplate and ConfigMap; the later source wins, key by key", async () => {
  const plug = {
    resultSecretName: "sec",
    result: { b: "inline", c: "inline" },
    resultTemplate: { c: "tpl-{% .plug.metadata.name %}", d: "tpl" },
    resultConfigMapName: "cm",
  };
  const found = [secret("app/sec", { a: "s", b: "s", c: "s", d: "s" }), configMap("app/cm", { d: "cm" })];
  expect(await results(plug, {}, found)).toMatchObject({ plug: { a: "s", b: "inline", c: "tpl-p", d: "cm" } });
});

test("an apparatus' result is weaker than all other sources, and stronger than defaults", async () => {
  const keys = ["a", "b", "c", "d", "e", "f"];
  const plug = {
    resultSecretName: "sec",
    result: { c: "inline" },
    resultTemplate: { d: "tpl" },
    resultConfigMapName: "cm",
  };
  const half = { ...Object.fromEntries(keys.map((key) => [key, {}])), a: { default: "d" }, f: { default: "d" } };
  const answered = { plug: new Map(keys.slice(0, 5).map((key) => [key, new Secret("said-by-4pparatus")])) };
  const found = [secret("app/sec", { b: "s" }), configMap("app/cm", { e: "cm" })];
  const socket = { interface: { result: { plug: half } } };
  expect(await results(plug, socket, found, answered)).toEqual({
    plug: { a: "said-by-4pparatus", b: "s", c: "inline", d: "tpl", e: "cm", f: "d" },
    socket: {},
  });
});

test("an apparatus' result belongs to its side, is secret, and is checked against the interface", async () => {
  const answered = {
    socket: new Map([
      ["user", new Secret("shop")],
      ["junk", new Secret("x")],
    ]),
  };
  const half = { user: { required: true } };
  const socket = { interface: { result: { socket: half } }, resultTemplate: { seen: "{% .socketResult %}" } };
  const found = await resolve({}, socket, [], answered);
  if ("waiting" in found) throw new Error(found.waiting);
  expect([plainTexts(found.plugResult), plainTexts(found.socketResult)]).toEqual([{}, { user: "shop" }]);
  expect(found.socketResult.get("user")).toMatchObject({ isSecret: true, source: "apparatus" });
  expect(found.dropped.map(({ key }) => key)).toContain("junk");
  expect(await results({}, socket)).toBe("socket result property 'user' is required");
});

test("X5: result templates can read both configs", async () => {
  const plug = { config: { foo: "1" }, resultTemplate: { foo: "{% .plugConfig.foo %}{% .socketConfig.foo %}" } };
  expect(await results(plug, { config: { foo: "2" } })).toMatchObject({ plug: { foo: "12" } });
});

test("X5: a result computed from a secret config is secret", async () => {
  const plug = { configSecretName: "sec", resultTemplate: { a: "{% .plugConfig.a | upper %}", b: "b" } };
  const found = await resolve(plug, {}, [secret("app/sec", { a: "hunter22" })]);
  if ("waiting" in found) throw new Error(found.waiting);
  expect([...found.plugResult.values()].map(({ isSecret }) => isSecret)).toEqual([true, false]);
});

test.each(["plug", "socket"])("X6: result templates can read resultVars, and vars as its alias: %s", async (side) => {
  const namespace = side === "plug" ? "app" : "prov";
  const own = {
    resultVars: [
      { name: "arn", objref: { version: "v1", kind: "ConfigMap", name: "cm" }, fieldref: { fieldPath: "data.arn" } },
    ],
    resultTemplate: { a: "{% .resultVars.arn %}", b: "{% .vars.arn %}" },
  };
  const found = [configMap(`${namespace}/cm`, { arn: "X" })];
  const specs: [object, object] = side === "plug" ? [own, {}] : [{}, own];
  expect(await results(...specs, found)).toMatchObject({ [side]: { a: "X", b: "X" } });
});

test("H36: a required result whose var finds nothing yet is waited for", async () => {
  const socket = {
    interface: { result: { socket: { arn: { required: true } } } },
    resultVars: [
      { name: "arn", objref: { version: "v1", kind: "ConfigMap", name: "late" }, fieldref: { fieldPath: "data.arn" } },
    ],
    resultTemplate: { arn: "{% .resultVars.arn %}" },
  };
  expect(await results({}, socket, [configMap("prov/late", {})])).toBe("socket result property 'arn' is required");
  expect(await results({}, socket)).toBe("Socket prov/s spec.resultVars[0]: ConfigMap prov/late does not exist");
  expect(await results({}, socket, [configMap("prov/late", { arn: "X" })])).toMatchObject({ socket: { arn: "X" } });
});

test("the sources of results are known in advance, and are not inputs of a stage", () => {
  const pair = samplePair({ resultSecretName: "late", configSecretName: "early" });
  expect(listResultSources(pair)).toMatchObject([{ side: "plug", kind: "Secret", name: "late" }]);
});

test("a result of the wrong type is a failure, and the plug does not wait", async () => {
  const asked = results({ result: { port: "x" } }, { interface: { result: { plug: { port: { type: "integer" } } } } });
  await expect(asked).rejects.toThrow("plug result property 'port' is not an integer");
});
