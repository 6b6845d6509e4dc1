import { expect, test } from "vitest";
import type { JsonObject } from "#base";
import { type ParameterInputs, templateParameters, refOfUpstream, resolveParameters } from "./resolve-parameters.ts";

function resolve(
  declared: Readonly<Record<string, string>>,
  parameters: JsonObject,
  more: Partial<ParameterInputs> = {},
) {
  const givers = { environment: { name: "env", parameters }, processEnv: {}, ...more };
  return resolveParameters(new Map(Object.entries(declared)), givers);
}

const defaultImage = "quay.io/app-sre/qontract-reconcile";

test("G3-01: the process environment sets a parameter of the chart, and the environment's parameters may add unknown ones", () => {
  const trail = resolve({ P: "default" }, { env_param: "test" }, { processEnv: { P: "override", OTHER: "x" } });
  expect(templateParameters(trail)).toEqual({ env_param: "test", P: "override", IMAGE: defaultImage });
  expect(trail.get("env_param")?.isDeclared).toBe(false);
});

test("G3-02: a parameter of the environment wins over the chart's default", () => {
  expect(resolve({ P: "d" }, { P: "e" }).get("P")).toEqual({
    value: "e",
    source: "environment",
    detail: "env",
    isDeclared: true,
    overrode: [{ value: "d", source: "chart default" }],
  });
});

test("G3-03: the process environment wins over the environment's parameter, and all overridden values are recorded", () => {
  expect(resolve({ P: "d" }, { P: "e" }, { processEnv: { P: "s" } }).get("P")).toMatchObject({
    value: "s",
    source: "process environment",
    overrode: [{ value: "e" }, { value: "d" }],
  });
});

test("the process gives nothing to a parameter that is not declared, nor by what every object inherits", () => {
  const trail = resolve({ constructor: "d" }, { Q: "e" }, { processEnv: { Q: "s" } });
  expect(trail.get("Q")?.value).toBe("e");
  expect(trail.get("constructor")?.value).toBe("d");
});

test.each([
  {
    reason: "G3-07, B-33: IMAGE of the environment wins over the default",
    image: undefined,
    env: {},
    expected: "quay.io/env/img",
  },
  {
    reason: "G3-07, B-33: IMAGE of the process wins over IMAGE of the environment",
    image: undefined,
    env: { IMAGE: "p" },
    expected: "p",
  },
  {
    reason: "B-32: IMAGE on the command line wins over all others",
    image: "cli",
    env: { IMAGE: "p" },
    expected: "cli",
  },
  { reason: "an empty IMAGE counts as unset", image: "", env: { IMAGE: "" }, expected: "quay.io/env/img" },
])("$reason", ({ image, env, expected }) => {
  const trail = resolve({ IMAGE: "chart" }, { IMAGE: "quay.io/env/img" }, { image, processEnv: env });
  expect(trail.get("IMAGE")?.value).toBe(expected);
});

test("B-32: IMAGE is the built-in default if nothing sets it, whatever the chart declares", () => {
  expect(resolve({ IMAGE: "chart" }, { IMAGE: "" }).get("IMAGE")?.value).toBe(defaultImage);
});

test.each([
  { reason: "G3-08: IMAGE_AT_DIGEST is empty without a digest", digest: "", expected: "" },
  { reason: "IMAGE_AT_DIGEST is @ and the digest", digest: "sha256:1", expected: "@sha256:1" },
])("$reason", ({ digest, expected }) => {
  const trail = resolve({ IMAGE_DIGEST: digest, IMAGE_AT_DIGEST: "" }, {});
  expect(trail.get("IMAGE_AT_DIGEST")).toMatchObject({ value: expected, source: "computed" });
});

test("G3-09: an image tag from a ref removes the digest of another tag", () => {
  const tag = { value: "b", source: "command line" as const };
  const processEnv = { IMAGE_TAG: "a", IMAGE_DIGEST: "sha256:1" };
  const declared = { IMAGE_TAG: "latest", IMAGE_DIGEST: "", IMAGE_AT_DIGEST: "" };
  const trail = resolve(declared, {}, { processEnv, tag });
  expect(templateParameters(trail)).toMatchObject({ IMAGE_TAG: "b", IMAGE_DIGEST: "", IMAGE_AT_DIGEST: "" });
  expect(trail.get("IMAGE_DIGEST")?.overrode[0]).toMatchObject({ value: "sha256:1", source: "process environment" });
});

test("B-28: a parameter value that is not a string becomes its JSON", () => {
  const given = templateParameters(resolve({}, { a: true, b: null, c: ["a"], d: 1.5 }));
  expect(given).toMatchObject({ a: "true", b: "null", c: '["a"]', d: "1.5" });
});

test("what the chart says is not given back to it: it may generate", () => {
  expect(templateParameters(resolve({ SECRET: "" }, {}))).not.toHaveProperty("SECRET");
});

test("B-40: the ref of an environment counts for its upstream only", () => {
  const environment = { name: "e", parameters: { INTEGRATION_UPSTREAM_REPOS: [{ repo: "U", ref: "master" }, "x"] } };
  expect(refOfUpstream(environment, "U")).toBe("master");
  expect(refOfUpstream(environment, "V")).toBeUndefined();
  expect(refOfUpstream({ name: "e", parameters: { INTEGRATION_UPSTREAM_REPOS: "U" } }, "U")).toBeUndefined();
});
