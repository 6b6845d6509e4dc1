import { expect, test } from "vitest";
import { PlugTemplate } from "#template";
import { samplePair } from "../kinds/sample-pair.fixture.ts";
import type { Side } from "../kinds/index.ts";
import { mergeSources, textsOf } from "./resolved.ts";
import { resolveSample } from "./resolve-sample.fixture.ts";
import { resultData, resultTemplateData, stageData } from "./template-data.ts";
import { lastAppliedAnnotation, seenBy } from "./visible-values.ts";

const hidden = "hidden-value";
const pair = samplePair(
  {},
  {
    interface: { config: { socket: { shown: {}, password: { plugVisible: false, default: hidden } } } },
    config: { shown: "s", password: hidden },
    configTemplate: { password: hidden },
  },
);
const given = {
  ...pair.socket,
  metadata: { ...pair.socket.metadata, annotations: { [lastAppliedAnnotation]: hidden } },
};
const both = { plug: pair.plug, socket: given };
const map = (texts: Record<string, string>) => mergeSources([{ source: "test", values: textsOf(texts) }]);
const maps = {
  plugData: map({}),
  socketData: map({}),
  plugConfig: map({}),
  socketConfig: map({ shown: "s", password: hidden }),
  plugResult: map({}),
  socketResult: map({}),
  resultVars: map({}),
};
const all = new PlugTemplate("{% toJson . %}");

test.each([
  { what: "resources", dataFor: (side: Side) => stageData(both, maps)[side] },
  { what: "a resultTemplate", dataFor: (side: Side) => resultTemplateData(both, side, maps).data },
  { what: "resultResources", dataFor: (side: Side) => resultData(both, side, maps) },
])("$what of the plug see nothing of a hidden value, and those of the socket see it", ({ dataFor }) => {
  expect(all.render(dataFor("plug")).text).not.toContain(hidden);
  expect(all.render(dataFor("plug")).text).toContain('"shown":"s"');
  expect(all.render(dataFor("socket")).text).toContain(`"password":"${hidden}"`);
});

test("the configTemplate of a plug sees nothing of a hidden value", async () => {
  const { spec } = both.socket;
  const { plugConfig } = await resolveSample({ configTemplate: { all: "{% toJson . %}" } }, spec);
  expect(plugConfig.get("all")?.value).not.toContain(hidden);
});

test("a socket that hides nothing is the same object for its plugs", () => {
  const open = samplePair({}, { config: { a: "b" } });
  expect(seenBy("plug", open).socket).toBe(open.socket);
});
