import { expect, test } from "vitest";
import { samplePair } from "../kinds/sample-pair.fixture.ts";
import { listSources } from "./read-sources.ts";
import { configMap, FakeReader, never, resolveSample, secret } from "./resolve-sample.fixture.ts";
import { examineInputs, type InputHooks, resolveInputs } from "./resolve-values.ts";
import { plainTexts } from "./template-data.ts";

const everything = {
  configSecretName: "sec",
  config: { b: "inline", c: "inline" },
  configTemplate: { c: "tpl-{% .plug.metadata.name %}", d: "tpl" },
  configConfigMapName: "cm",
};
const objects = [
  secret("app/sec", { a: "from-sec", b: "from-sec", c: "from-sec", d: "from-sec" }),
  configMap("app/cm", { d: "cm" }),
];

test("H20: a config comes from Secret, config, configTemplate and ConfigMap; the later source wins, key by key", async () => {
  const { plugConfig } = await resolveSample(everything, {}, objects);
  expect(plainTexts(plugConfig)).toEqual({ a: "from-sec", b: "inline", c: "tpl-p", d: "cm" });
  expect(plugConfig.get("d")).toMatchObject({
    source: "configConfigMapName cm",
    overrode: ["configSecretName sec", "configTemplate"],
    isSecret: false,
  });
});

test("the apparatus' answer wins over all sources, as text; null is left out", async () => {
  const answer = { port: 5432, big: 1_000_000, flag: true, nul: null, list: ["a"], obj: { k: 1 }, d: "theirs" };
  const config = async (side: string) => (side === "plug" ? answer : undefined);
  const { plugConfig, socketConfig } = await resolveSample(everything, {}, objects, { config });
  expect(plainTexts(plugConfig)).toMatchObject({
    port: "5432",
    big: "1000000",
    flag: "true",
    list: '["a"]',
    obj: '{"k":1}',
    d: "theirs",
  });
  expect(plugConfig.has("nul")).toBe(false);
  expect(socketConfig.size).toBe(0);
});

test("the apparatus is asked once per side, with data and the side's own vars", async () => {
  const asked: unknown[] = [];
  const config: InputHooks["config"] = async (side, { plugData, socketData, vars }) => {
    asked.push([side, plugData, socketData, vars]);
    return {};
  };
  await resolveSample(
    { data: { a: "1" }, vars: [{ name: "v", objref: { version: "v1", kind: "Secret", name: "sec" } }] },
    { data: { b: "2" } },
    objects,
    { config },
  );
  expect(asked).toEqual([
    ["plug", { a: "1" }, { b: "2" }, { v: "sec" }],
    ["socket", { a: "1" }, { b: "2" }, {}],
  ]);
});

test("H21, X4: data comes from Secret, data and ConfigMap, and not from config sources", async () => {
  const plug = {
    dataSecretName: "sec",
    data: { b: "inline", c: "inline" },
    dataConfigMapName: "cm",
    configConfigMapName: "other",
    configTemplate: {
      o: "{% .plugData.a %}-{% .plugData.b %}-{% .plugData.c %}",
      keys: "{% keys .plugData | sortAlpha | join `,` %}",
    },
  };
  const found = [
    secret("app/sec", { a: "s", b: "s" }),
    configMap("app/cm", { c: "cm" }),
    configMap("app/other", { x: "1" }),
  ];
  const { plugConfig } = await resolveSample(plug, {}, found);
  expect(plainTexts(plugConfig)).toEqual({ o: "s-inline-cm", keys: "a,b,c", x: "1" });
});

test("X3: dataConfigMapName is a data source of a socket, too", async () => {
  const { socketData } = await resolveSample({}, { dataConfigMapName: "cm" }, [configMap("prov/cm", { a: "1" })]);
  expect(plainTexts(socketData)).toEqual({ a: "1" });
});

test("H22: templates of each side can read the data of the other", async () => {
  const plug = { data: { app: "a1" }, configTemplate: { zone: "{% .socketData.zone %}" } };
  const socket = { data: { zone: "z1" }, configTemplate: { app: "{% .plugData.app %}" } };
  const { plugConfig, socketConfig } = await resolveSample(plug, socket);
  expect([plainTexts(plugConfig), plainTexts(socketConfig)]).toEqual([{ zone: "z1" }, { app: "a1" }]);
});

test("H23: config templates cannot read a config, and never print <no value>", async () => {
  const plug = { configTemplate: { x: "[{% .socketConfig.howdy %}]", y: "{% .socketConfig.howdy %}" } };
  const { plugConfig } = await resolveSample(plug, { config: { howdy: "of-socket" } });
  expect(plainTexts(plugConfig)).toEqual({ x: "[]" });
});

test("H24: all missing sources are named with their fields", async () => {
  await expect(resolveSample({ configSecretName: "nope" }, { dataConfigMapName: "gone" })).rejects.toThrow(
    "Plug app/p spec.configSecretName: Secret app/nope does not exist; Socket prov/s spec.dataConfigMapName: ConfigMap prov/gone does not exist; create them",
  );
});

test("H26: the bytes of a Secret are read as UTF-8 text", async () => {
  const { plugConfig } = await resolveSample({ configSecretName: "sec" }, {}, [secret("app/sec", { a: "ü\n" })]);
  expect(plugConfig.get("a")?.value).toBe("ü\n");
});

test("only the text of a ConfigMap is read", async () => {
  const found = [configMap("app/cm", { a: "1" }, { binaryData: { b: "AAEC" } })];
  const { plugConfig } = await resolveSample({ configConfigMapName: "cm" }, {}, found);
  expect(plainTexts(plugConfig)).toEqual({ a: "1" });
});

test("an empty name, as charts render it, counts as absent", () => {
  expect(listSources(samplePair({ configSecretName: "", serviceAccountName: "" }))).toEqual([]);
});

test("each object is read once for each side, however often it is named", async () => {
  const pair = samplePair({ ...everything, dataSecretName: "sec" }, { configSecretName: "sec" });
  const reader = new FakeReader(...objects, secret("prov/sec", {}));
  await resolveInputs(pair.plug, pair.socket, reader.as, {}, never);
  expect(reader.asked.toSorted()).toEqual(["plug ConfigMap app/cm", "plug Secret app/sec", "socket Secret prov/sec"]);
});

test("inherited properties of JavaScript objects are not values", async () => {
  const socket = { interface: { config: { plug: { toString: { required: true } } } } };
  await expect(resolveSample({}, socket)).rejects.toThrow("plug config property 'toString' is required");
  const { plugConfig } = await resolveSample({ config: { toString: "own", constructor: "dropped" } }, socket);
  expect([...plugConfig.keys()]).toEqual(["toString"]);
});

test("existing values can be shown although others are missing", async () => {
  const { plug, socket } = samplePair(
    { config: { a: "1" } },
    { interface: { config: { plug: { a: {}, b: { required: true, default: "d" } } } } },
  );
  const examined = await examineInputs(plug, socket, new FakeReader().as, {}, never);
  expect(plainTexts(examined.plugConfig)).toEqual({ a: "1" });
  expect(examined.problems).toEqual(["plug config property 'b' is required"]);
});
