import { describe, expect, test } from "vitest";
import { describeError } from "#base";
import type { GoObject } from "#golang";
import { renderChart } from "../render-chart.ts";
import { chartOf } from "../test-chart.fixture.ts";
import { mergeValueSources } from "../values/given-values.ts";

const schema = {
  properties: {
    replicas: { type: "integer", maximum: 10 },
    image: { required: ["tag"], additionalProperties: false, properties: { tag: {} } },
  },
};

function refusal(files: Readonly<Record<string, string>>, sources: Parameters<typeof mergeValueSources>[0]): string {
  const chart = chartOf({ "values.schema.json": JSON.stringify(schema), ...files });
  try {
    renderChart(chart, { ...mergeValueSources(sources) });
  } catch (error) {
    return describeError(error);
  }
  return "accepted";
}

describe("validateValues", () => {
  test("an invalid value is reported with the line of its values file, what is allowed, and the schema", () => {
    const files = [{ name: "prod.yaml", text: "# prod\nreplicas: many\n" }];
    expect(refusal({}, { files })).toBe(
      "prod.yaml:2:1: replicas: got string, want integer; see charts/c/values.schema.json",
    );
  });

  test("an invalid value is reported with the option that sets it", () => {
    expect(refusal({ "values.yaml": "replicas: 1" }, { set: ["replicas=11"] })).toContain(
      "--set replicas=11: replicas: maximum: got 11, want 10",
    );
  });

  test("an invalid default is reported with its line in the chart's values.yaml", () => {
    expect(refusal({ "values.yaml": "image:\n  tga: 1\n" }, {})).toContain("charts/c/values.yaml:1:1: image: ");
  });

  test("all invalid values are listed", () => {
    const text = refusal({}, { files: [{ name: "v.yaml", text: "replicas: x\nimage: {}" }] });
    expect(text).toContain("2 values do not satisfy the chart's schema");
    expect(text).toContain("v.yaml:1:1: replicas: got string, want integer");
    expect(text).toContain("v.yaml:2:1: image: missing property 'tag'");
  });

  test("an invalid value of a subchart is reported by its path in the values", () => {
    const files = {
      "charts/s/Chart.yaml": "name: s\nversion: 1.0.0",
      "charts/s/values.schema.json": '{"properties":{"a":{"type":"string"}}}',
    };
    expect(refusal(files, { set: ["s.a=1"] })).toContain(
      "--set s.a=1: s.a: got number, want string; see charts/c/charts/s/values.schema.json",
    );
  });
});

describe("an invalid schema", () => {
  test.each([
    { text: "{", said: "charts/c/values.schema.json: not valid JSON" },
    {
      text: '{\n  "properties": { "a": { "type": "strng" } }\n}',
      said: "charts/c/values.schema.json:2:26: #/properties/a/type: type must be a type",
    },
    {
      text: '{"$ref": "https://example.com/x.json"}',
      said: '"https://example.com/x.json" refers to another file; move the schema into this file',
    },
    { text: '{"$ref": "file:///etc/passwd"}', said: "refers to another file" },
    { text: '{"properties": {"a": {"pattern": "(?=x)"}}}', said: "write it in the syntax of Go's regexp package" },
    {
      text: '{"$schema": "http://json-schema.org/draft-03/schema#"}',
      said: "use draft 4, 6, 7, 2019-09 or 2020-12",
    },
  ])("an invalid schema is refused with its line: $said", ({ text, said }) => {
    expect(refusal({ "values.schema.json": text }, {})).toContain(said);
  });
});

test("a pattern of a schema is matched in linear time", () => {
  const files = { "values.schema.json": '{"properties":{"a":{"pattern":"^(a+)+$"}}}' };
  expect(refusal(files, { set: [`a=${"a".repeat(5_000)}b`] })).toContain("does not match pattern");
});

const limits = { steps: 20_000, output: 1 << 20, memory: 1 << 24, depth: 100 };

/** Each definition refers to the next one twice. */
function doubling(levels: number): Record<string, unknown> {
  const definitions = Array.from({ length: levels }, (_, index) => [
    `d${index}`,
    { allOf: [1, 2].map(() => ({ $ref: `#/definitions/d${index + 1}` })) },
  ]);
  return { $ref: "#/definitions/d0", definitions: Object.fromEntries([...definitions, [`d${levels}`, {}]]) };
}

test.each([
  { reason: "definitions that refer to the next one twice", schema: doubling(60), values: "{}" },
  {
    reason: "many patterns and names",
    schema: {
      patternProperties: Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`^a*b{${index}}$`, true])),
    },
    values: JSON.stringify(Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`a${index}`, 1]))),
  },
  {
    reason: "a large value that is compared again and again",
    schema: { properties: { list: { anyOf: Array.from({ length: 200 }, (_, index) => ({ enum: [index] })) } } },
    values: JSON.stringify({ list: Array.from({ length: 1_000 }, (_, index) => index) }),
  },
])("validation against a schema is bounded in steps: $reason", ({ schema: hostile, values }) => {
  const chart = chartOf({ "values.schema.json": JSON.stringify(hostile), "values.yaml": values });
  expect(() => renderChart(chart, { limits })).toThrow(
    expect.objectContaining({
      what: "validating the values against the schema takes more than 20000 steps",
      where: "charts/c/values.schema.json",
    }),
  );
});

test("values that are nested too deeply for their schema are an error with the place of the schema", () => {
  const recursive = { additionalProperties: { $ref: "#" } };
  const deep: GoObject = {};
  let inner = deep;
  for (let level = 0; level < 3_000; level += 1) inner = inner["a"] = {};
  const chart = chartOf({ "values.schema.json": JSON.stringify(recursive) });
  expect(() => renderChart(chart, { values: deep })).toThrow(
    "validating the values against the schema goes too deep into the values",
  );
});
