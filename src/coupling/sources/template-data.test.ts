import { expect, test } from "vitest";
import { PlugTemplate } from "#template";
import { samplePair } from "../kinds/sample-pair.fixture.ts";
import { mergeSources, textsOf } from "./resolved.ts";
import {
  configData,
  ownData,
  referenceData,
  resultData,
  resultTemplateData,
  stageData,
  viewOf,
  callView,
} from "./template-data.ts";

const pair = samplePair({ config: { bucket: "b" } }, {});
const map = (name: string) => mergeSources([{ source: "test", values: textsOf({ name }) }]);
const all = [
  "plug",
  "socket",
  "plugData",
  "socketData",
  "vars",
  "resultVars",
  "plugConfig",
  "socketConfig",
  "plugResult",
  "socketResult",
  "result",
];
const data = { plugData: map("plugData"), socketData: map("socketData") };
const configs = { plugConfig: map("plugConfig"), socketConfig: map("socketConfig") };
const outcomes = { plugResult: map("plugResult"), socketResult: map("socketResult") };

test.each([
  { where: "objref.templateName", context: referenceData(pair, "plug"), sees: "plug socket" },
  {
    where: "configTemplate",
    context: configData(pair, "plug", { ...data, vars: map("vars") }).data,
    sees: "plug socket plugData socketData vars",
  },
  { where: "resources of created, plug", context: ownData(pair.plug), sees: "plug" },
  { where: "resources of created, socket", context: ownData(pair.socket), sees: "socket" },
  {
    where: "resources of coupled",
    context: stageData(pair, configs).plug,
    sees: "plug socket plugConfig socketConfig",
  },
  {
    where: "resultTemplate",
    context: resultTemplateData(pair, "plug", { ...data, ...configs, resultVars: map("resultVars") }).data,
    sees: "plug socket plugData socketData vars resultVars plugConfig socketConfig",
  },
  {
    where: "resultResources",
    context: resultData(pair, "plug", { ...configs, ...outcomes }),
    sees: "plug socket plugConfig socketConfig plugResult socketResult result",
  },
])("$where sees $sees and nothing else", ({ context, sees }) => {
  const text = all.map((name) => `{% if hasKey . "${name}" %}${name} {% end %}`).join("");
  expect(new PlugTemplate(text).render(context).text.trim()).toBe(sees);
});

test("X7: the variable result is the result of the side that owns the resource", () => {
  const template = new PlugTemplate("{% .result.name %} {% .plugResult.name %} {% .socketResult.name %}");
  const texts = (["plug", "socket"] as const).map(
    (side) => template.render(resultData(pair, side, { ...configs, ...outcomes })).text,
  );
  expect(texts).toEqual(["plugResult plugResult socketResult", "socketResult plugResult socketResult"]);
});

test("templates see an object without its managed fields", () => {
  const { plug } = pair;
  const managed = {
    ...plug,
    metadata: { ...plug.metadata, managedFields: [{ manager: "kubectl" }], labels: { a: "b" } },
  };
  const view = viewOf(managed);
  expect(view).toEqual({ ...plug, metadata: { ...plug.metadata, labels: { a: "b" } } });
  expect(new PlugTemplate("{% .plug.spec.config.bucket %}").render(referenceData(pair, "plug")).text).toBe("b");
});

test("apparatuses do not get the list of a socket's plugs, which grows with each of them", () => {
  const { socket } = samplePair();
  const plug = { apiVersion: "v1", kind: "Plug", name: "p", namespace: "app", uid: "u" };
  const coupled = { ...socket, status: { coupledPlugs: [plug], coupledPlugsCount: 1 } };
  expect(callView(coupled)["status"]).toEqual({ coupledPlugsCount: 1 });
  expect(viewOf(coupled)["status"]).toEqual({ coupledPlugs: [plug], coupledPlugsCount: 1 });
});
