import { expect, test } from "vitest";
import { resolveSample } from "./resolve-sample.fixture.ts";
import { plainTexts } from "./template-data.ts";

const demanding = {
  interface: {
    config: {
      plug: { hello: { default: "world" }, must: { required: true } },
      socket: { howdy: { required: true } },
    },
  },
  config: { howdy: "y", secretExtra: "z" },
};

test("H10: defaults of the interface are filled in, and undeclared keys are dropped", async () => {
  const inputs = await resolveSample({ config: { must: "m", undeclared: "u" } }, demanding);
  expect(plainTexts(inputs.plugConfig)).toEqual({ hello: "world", must: "m" });
  expect(plainTexts(inputs.socketConfig)).toEqual({ howdy: "y" });
  expect(inputs.dropped).toEqual([
    { side: "plug", key: "undeclared", source: "config" },
    { side: "socket", key: "secretExtra", source: "config" },
  ]);
});

test("H11: a missing required key of the plug is named", async () => {
  await expect(resolveSample({}, demanding)).rejects.toThrow("plug config property 'must' is required");
});

test("H12: a missing required key of the socket is named on the plug", async () => {
  const asked = resolveSample({ config: { must: "m" } }, { ...demanding, config: {} });
  await expect(asked).rejects.toThrow("Plug app/p: socket config property 'howdy' is required");
});

test("H13: a required key must be set even if it has a default", async () => {
  const socket = { interface: { config: { plug: { a: { required: true, default: "d" } } } } };
  await expect(resolveSample({}, socket)).rejects.toThrow("plug config property 'a' is required");
});

test("H14: an absent half of an interface allows every key, an empty one allows none", async () => {
  const socket = { interface: { config: { socket: {} } }, config: { y: "2" } };
  const { plugConfig, socketConfig } = await resolveSample({ config: { x: "1" } }, socket);
  expect([plainTexts(plugConfig), plainTexts(socketConfig)]).toEqual([{ x: "1" }, {}]);
});

test("X12: a half of an interface is checked the same whether or not the other half exists", async () => {
  const socket = { interface: { config: { plug: {} } }, config: { y: "2" } };
  const { plugConfig, socketConfig } = await resolveSample({ config: { x: "1" } }, socket);
  expect([plainTexts(plugConfig), plainTexts(socketConfig)]).toEqual([{}, { y: "2" }]);
});

test("H15: an empty string is a valid config value in both halves", async () => {
  const property = { a: { required: true }, b: { default: "d" } };
  const socket = { interface: { config: { plug: property, socket: property } }, config: { a: "", b: "" } };
  const { plugConfig, socketConfig } = await resolveSample({ config: { a: "", b: "" } }, socket);
  expect([plainTexts(plugConfig), plainTexts(socketConfig)]).toEqual([
    { a: "", b: "" },
    { a: "", b: "" },
  ]);
});

test("H17: all missing keys are in one message, sorted", async () => {
  const half = { z: { required: true }, a: { required: true } };
  const asked = resolveSample({}, { interface: { config: { plug: half, socket: half } } });
  await expect(asked).rejects.toThrow(
    "plug config property 'a' is required; plug config property 'z' is required; socket config property 'a' is required; socket config property 'z' is required",
  );
});

test("a property that is null declares its key", async () => {
  const { plugConfig } = await resolveSample({ config: { a: "1" } }, { interface: { config: { plug: { a: null } } } });
  expect(plainTexts(plugConfig)).toEqual({ a: "1" });
});

test.each([
  { property: { type: "integer" }, good: "-5432", bad: "5432.5", says: "is not an integer" },
  { property: { type: "boolean" }, good: "true", bad: "yes", says: "is neither true nor false" },
  { property: { type: "url" }, good: "postgres://db:5432/x", bad: "db:5432", says: "is not a URL" },
  { property: { type: "json" }, good: '{"a":1}', bad: "{a:1}", says: "is not JSON" },
  { property: { type: "enum", enum: ["a", "b"] }, good: "b", bad: "c", says: 'is not one of "a", "b"' },
  { property: { enum: ["a"] }, good: "a", bad: "", says: 'is not one of "a"' },
  { property: { minLength: 2 }, good: "😀😀", bad: "😀", says: "has fewer than 2 characters" },
  { property: { pattern: "a|ab" }, good: "ab", bad: "xab", says: "does not match a|ab" },
])("the property $property accepts $good and refuses $bad", async ({ property, good, bad, says }) => {
  const socket = { interface: { config: { plug: { key: property } } } };
  const { plugConfig } = await resolveSample({ config: { key: good } }, socket);
  expect(plainTexts(plugConfig)).toEqual({ key: good });
  const refused = resolveSample({ config: { key: bad } }, socket);
  await expect(refused).rejects.toThrow(`plug config property 'key' ${says}`);
});

test("an invalid pattern matches nothing", async () => {
  const refused = resolveSample(
    { config: { key: "(" } },
    { interface: { config: { plug: { key: { pattern: "(" } } } } },
  );
  await expect(refused).rejects.toThrow("plug config property 'key' cannot be checked against its pattern");
});

test("a message never contains an invalid value", async () => {
  const refused = resolveSample(
    { config: { key: "hunter22" } },
    { interface: { config: { plug: { key: { type: "json" } } } } },
  );
  await expect(refused).rejects.toThrow(expect.not.stringContaining("hunter22"));
});
