import { describe, expect, test } from "vitest";
import type { JsonObject, JsonValue } from "#base";
import { bareBundle } from "../sample-bundle.fixture.ts";
import { createQueryable } from "./create-queryable.ts";

const text = (name: string): JsonObject => ({ name, type: "string" });
const types: JsonValue = [
  {
    name: "Query",
    fields: [
      { name: "jobs_v1", type: "Job_v1", isList: true, datafileSchema: "/job-1.yml" },
      { name: "resources_v1", type: "Resource_v1", isList: true, isRequired: true, isResource: true },
    ],
  },
  {
    name: "Job_v1",
    fields: [
      text("name"),
      { name: "script", type: "string", isResource: true },
      { name: "config", type: "string", isRequired: true, isResource: true, resolveResource: true },
    ],
  },
  {
    name: "Resource_v1",
    fields: [
      text("path"),
      text("content"),
      text("sha256sum"),
      text("schema"),
      { name: "backrefs", type: "ResourceBackref_v1", isList: true },
    ],
  },
  { name: "ResourceBackref_v1", fields: ["path", "datafileSchema", "jsonpath"].map(text) },
];
const resources = {
  "/a.sh": { content: "echo a" },
  "/b/rules.yml": { content: "$schema: /rules-1.yml\n", schema: "/rules-1.yml" },
};

function ask(job: JsonObject, query: string) {
  const data = { "/job.yml": { $schema: "/job-1.yml", ...job } };
  return createQueryable(bareBundle({ data, types, resources })).query(query);
}

describe("A-24: resources can be selected by path or schema", () => {
  test.each([
    { args: "", paths: ["/a.sh", "/b/rules.yml"], reason: "all resources" },
    { args: '(path: "/a.sh")', paths: ["/a.sh"], reason: "a list of one" },
    { args: '(schema: "/rules-1.yml")', paths: ["/b/rules.yml"], reason: "the resources of a schema" },
    { args: '(schema: "/none.yml")', paths: [], reason: "an unknown schema" },
    {
      args: '(path: null, schema: "")',
      paths: ["/a.sh", "/b/rules.yml"],
      reason: "null and empty arguments are ignored",
    },
  ])("$args: $reason", async ({ args, paths }) => {
    expect(await ask({}, `{ resources_v1${args} { path } }`)).toMatchObject({
      data: { resources_v1: paths.map((path) => ({ path })) },
    });
  });

  test("an unknown path is an error, not an empty resource", async () => {
    const answer = await ask({}, '{ resources_v1(path: "/gone") { path } }');
    expect(answer).toMatchObject({ data: null, errors: [{ path: ["resources_v1", 0] }] });
  });

  test("resources_v1 gives path, content, hash and schema", async () => {
    expect(await ask({}, '{ resources_v1(path: "/b/rules.yml") { path content sha256sum schema } }')).toEqual({
      data: {
        resources_v1: [
          {
            path: "/b/rules.yml",
            content: "$schema: /rules-1.yml\n",
            sha256sum: "sha256 of /b/rules.yml",
            schema: "/rules-1.yml",
          },
        ],
      },
      extensions: { schemas: ["/rules-1.yml"] },
    });
  });
});

describe("fields that name resources", () => {
  test("are resolved with resolveResource, and are paths without", async () => {
    const answer = await ask({ script: "/a.sh", config: "/a.sh" }, "{ jobs_v1 { script config { content schema } } }");
    expect(answer).toEqual({
      data: { jobs_v1: [{ script: "/a.sh", config: { content: "echo a", schema: null } }] },
      extensions: { schemas: ["/job-1.yml"] },
    });
  });

  test.each([{ config: "/gone" }, { config: null }, {}, { config: 7 }])(
    "are null if the resource does not exist: %j",
    async (job) => {
      const { data, errors } = await ask(job, "{ jobs_v1 { config { content } } }");
      expect({ data, errors }).toEqual({ data: { jobs_v1: [{ config: null }] } });
    },
  );

  test("A-5: backrefs of a resource list the fields that name it", async () => {
    const reference = { $ref: "/common-1.json#/definitions/resourceref" };
    const schemas = {
      "/job-1.yml": {
        $schema: "/metaschema-1.json",
        properties: { config: reference, steps: { items: { properties: { script: reference } } } },
      },
    };
    const data = {
      "/job.yml": { $schema: "/job-1.yml", config: "/a.sh", steps: [{ script: "/a.sh" }, { script: "/gone" }] },
    };
    const answer = await createQueryable(bareBundle({ data, types, resources, schemas })).query(
      "{ resources_v1 { path backrefs { path datafileSchema jsonpath } } }",
    );
    const referrer = { path: "/job.yml", datafileSchema: "/job-1.yml" };
    expect(answer.data).toEqual({
      resources_v1: [
        {
          path: "/a.sh",
          backrefs: [
            { ...referrer, jsonpath: "config" },
            { ...referrer, jsonpath: "steps.[0].script" },
          ],
        },
        { path: "/b/rules.yml", backrefs: [] },
      ],
    });
  });
});
