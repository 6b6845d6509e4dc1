import { expect, test } from "vitest";
import { samplePair } from "../kinds/sample-pair.fixture.ts";
import { FakeReader, never } from "./resolve-sample.fixture.ts";
import { resolveInputs, resolveResults } from "./resolve-values.ts";

const status = { observedGeneration: 1, coupledResult: { plug: { a: "b" } } };

test.each([
  { template: "{% uuidv4 %}", isUnstable: true, reason: "random" },
  { template: "{% now %}", isUnstable: true, reason: "the clock" },
  { template: "{% .plug.metadata.resourceVersion %}", isUnstable: true, reason: "our own writes change it" },
  { template: "{% .plug | toJson %}", isUnstable: true, reason: "it is in there" },
  { template: "{% . | toJson %}", isUnstable: true, reason: "it is in there, too" },
  { template: "{% $p := .plug %}{% $p.status.observedGeneration %}", isUnstable: true, reason: "the status is ours" },
  {
    template: "{% index .plug.status.coupledResult.plug `a` %}",
    isUnstable: true,
    reason: "it fails without a status",
  },
  { template: "{% .plug.metadata.name %}", isUnstable: false, reason: "a name stays" },
  { template: "{% .plug.spec | toJson %}", isUnstable: false, reason: "a spec is the user's" },
  { template: "{% if .plug.status %}x{% else %}x{% end %}", isUnstable: false, reason: "the text is the same" },
])("$template is unstable: $isUnstable, because $reason", async ({ template, isUnstable }) => {
  const { plug, socket } = samplePair({ configTemplate: { key: template }, resultTemplate: { key: template } });
  const coupled = { ...plug, status };
  const { as } = new FakeReader();
  const inputs = await resolveInputs(coupled, socket, as, {}, never);
  expect(inputs.plugConfig.get("key")).toMatchObject({ isUnstable });
  expect(await resolveResults(coupled, socket, inputs, as, {}, never)).toMatchObject({
    plugResult: new Map([["key", expect.objectContaining({ isUnstable })]]),
  });
});

test("a result computed from an unstable config is unstable, and its neighbours are not", async () => {
  const { plug, socket } = samplePair(
    { config: { name: "n" }, configTemplate: { id: "{% uuidv4 %}" } },
    { resultTemplate: { id: "id-{% .plugConfig.id %}", name: "{% .plugConfig.name %}" } },
  );
  const { as } = new FakeReader();
  const results = await resolveResults(plug, socket, await resolveInputs(plug, socket, as, {}, never), as, {}, never);
  expect(results).toMatchObject({
    socketResult: new Map([
      ["id", expect.objectContaining({ isUnstable: true })],
      ["name", expect.objectContaining({ isUnstable: false })],
    ]),
  });
});
