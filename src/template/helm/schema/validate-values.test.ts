import { describe, expect, test } from "vitest";
import { describeError } from "#base";
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
