import { describe, expect, test } from "vitest";
import { InputError } from "#base";
import { annotation, isOwned } from "./attribution.ts";
import type { ExactMap } from "./exact.ts";
import { checkBody, ManagedObject } from "./managed-object.ts";

function resource(body: ExactMap, more: { callerName?: string; attribution?: string } = {}) {
  return new ManagedObject({
    body,
    integration: "i",
    integrationVersion: "0.1.0",
    errorDetails: "app.yml:3",
    ...more,
  });
}

function configMap(metadata: ExactMap): ExactMap {
  return { apiVersion: "v1", kind: "ConfigMap", metadata };
}

function deployment(container: ExactMap, field = "containers"): ExactMap {
  const spec = { template: { spec: { containers: [{ name: "int" }], [field]: [container] } } };
  return { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "a" }, spec };
}

test("D-1: a managed object keeps its inputs, and a live one skips validation", () => {
  const body = configMap({ name: "Not-A-Name" });
  const given = { body, integration: "i", integrationVersion: "0.1.0", callerName: "c", errorDetails: "app.yml:3" };
  expect(() => new ManagedObject(given)).toThrow(
    expect.objectContaining({ where: "app.yml:3: ConfigMap Not-A-Name: metadata.name" }),
  );
  expect(new ManagedObject({ ...given, skipValidation: true })).toMatchObject({
    body,
    integration: "i",
    integrationVersion: "0.1.0",
    caller: "c",
    errorDetails: "app.yml:3",
    kind: "ConfigMap",
    name: "Not-A-Name",
  });
});

test.each(["a", "a.b", "x".repeat(253)])("G5-01: a lower-case DNS name is a valid object name: %s", (name) => {
  expect(resource(configMap({ name })).name).toBe(name);
});

test.each(["A", "-a", "a-", "a_b", "a..b", "x".repeat(254)])(
  "G5-02: an object name that is not a DNS name is refused: %s",
  (name) => {
    expect(() => resource(configMap({ name }))).toThrow(InputError);
  },
);

test("G5-03: the names of Roles are not checked", () => {
  const role = { apiVersion: "rbac.authorization.k8s.io/v1", kind: "Role", metadata: { name: "system:Foo" } };
  expect(resource(role).kindAndGroup).toBe("Role.rbac.authorization.k8s.io");
});

test.each([{ name: "int" }, { name: "x".repeat(63) }])(
  "G5-04: a container name of up to 63 characters is valid: $name",
  (container) => {
    expect(resource(deployment(container)).kind).toBe("Deployment");
  },
);

test.each([
  { container: { name: "Int" }, field: "containers" },
  { container: { name: "x".repeat(64) }, field: "containers" },
  { container: {}, field: "containers" },
  { container: { name: "A" }, field: "initContainers" },
])("G5-04: an invalid container name is refused, with its field: $container", ({ container, field }) => {
  expect(() => resource(deployment(container, field))).toThrow(
    expect.objectContaining({
      name: "InputError",
      where: `app.yml:3: Deployment a: spec.template.spec.${field}[0].name`,
    }),
  );
});

test.each([
  { reason: "no metadata", body: { apiVersion: "v1", kind: "ConfigMap" } },
  { reason: "no kind", body: { apiVersion: "v1", metadata: { name: "a" } } },
  { reason: "an empty name", body: configMap({ name: "" }) },
  { reason: "no apiVersion", body: { kind: "ConfigMap", metadata: { name: "a" } } },
  { reason: "no body", body: null },
])("G5-05, D-3: an incomplete object is refused as an input error: $reason", ({ body }) => {
  expect(() => checkBody(body, "app.yml:3")).toThrow(InputError);
});

test("G5-06: a CronJob name of 53 characters is refused, with the limit", () => {
  const cron = { apiVersion: "batch/v1", kind: "CronJob", metadata: { name: "c".repeat(53) } };
  expect(() => resource(cron)).toThrow("has 53 characters; a CronJob may have at most 52");
});

describe("the identity of a managed object", () => {
  test("D-2: the kind of an object includes its API group", () => {
    expect(resource(deployment({ name: "int" })).kindAndGroup).toBe("Deployment.apps");
    expect(resource(configMap({ name: "a" })).kindAndGroup).toBe("ConfigMap");
  });

  test("D-2: the caller is the given one, or else the one in the object's annotations", () => {
    const annotations = { [annotation.caller]: "written" };
    expect(resource(configMap({ name: "a", annotations })).caller).toBe("written");
    expect(resource(configMap({ name: "a", annotations }), { callerName: "given" }).caller).toBe("given");
    expect(resource(configMap({ name: "a" })).caller).toBeUndefined();
  });

  test("D-2: a PipelineRun without a name is identified by its generateName", () => {
    const run = { apiVersion: "tekton.dev/v1", kind: "PipelineRun", metadata: { generateName: "build-" } };
    expect(resource(run).name).toBe("build");
  });
});

test("D-4, D-5: an object is applied as it was given, plus the owner's annotations", () => {
  const body = configMap({ name: "a", annotations: { mine: "x" }, namespace: "n" });
  const now = new Date("2026-11-15T10:20:30.456Z");
  expect(resource(body, { callerName: "c", attribution: "web" }).annotate(now)).toEqual({
    ...body,
    metadata: {
      name: "a",
      namespace: "n",
      annotations: {
        mine: "x",
        "qontract.integration": "i",
        "qontract.integration_version": "0.1.0",
        "qontract.sha256sum": resource(body).sha256(),
        "qontract.update": "2026-11-15T10:20:30Z",
        "qontract.caller_name": "c",
        "tenon.dev/integration": "web",
      },
    },
  });
  const bare = resource(configMap({ name: "a" })).annotate(now);
  expect(JSON.stringify(bare)).not.toContain("caller_name");
});

test("D-5: the owner's annotations do not change the hash of an object", () => {
  const plain = resource(configMap({ name: "a" }));
  expect(resource(plain.annotate(new Date())).sha256()).toBe(plain.sha256());
});

test.each([
  { reason: "another minor version", version: "0.9.3", sha: "s", owned: true },
  { reason: "another major version", version: "1.0.0", sha: "s", owned: false },
  { reason: "no version at all", version: "abc", sha: "s", owned: false },
  { reason: "no hash", version: "0.1.0", sha: undefined, owned: false },
  { reason: "a hash that is wrong", version: "0.1.0", sha: "wrong", owned: true },
])(
  "G7-01: an object is owned if integration, major version and the presence of a hash match: $reason",
  ({ version, sha, owned }) => {
    const annotations: Record<string, string> = {
      [annotation.integration]: "i",
      [annotation.integrationVersion]: version,
    };
    if (sha) annotations[annotation.sha256] = sha;
    expect(isOwned({ annotations }, { integration: "i", integrationVersion: "0.1.0" })).toBe(owned);
  },
);

test("D-15: an object of another integration is not owned", () => {
  const annotations = {
    [annotation.integration]: "other",
    [annotation.integrationVersion]: "0.1.0",
    [annotation.sha256]: "s",
  };
  expect(isOwned({ annotations }, { integration: "i", integrationVersion: "0.1.0" })).toBe(false);
});
