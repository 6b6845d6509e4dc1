import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createQueryable } from "../graphql/create-queryable.ts";
import { sampleBundle } from "../sample-bundle.fixture.ts";
import { openBundleSource } from "../source/open-bundle-source.ts";
import { sampleTree } from "../source/sample-tree.fixture.ts";
import { BundleValidator } from "../validate/bundle-validator.ts";

const { signal } = new AbortController();
const namespace = `$schema: /openshift/lean-namespace-1.yml
name: there
cluster: {name: c, serverUrl: "https://c", automationToken: {path: a, field: b}}
environment: {name: e}
`;

async function validate(files: Readonly<Record<string, string>>) {
  await using tree = await sampleTree(files);
  const bundle = await openBundleSource(tree.path).load(signal);
  return new BundleValidator().validate(bundle);
}

test("the built-in schemas are valid, and give a GraphQL schema", async () => {
  const bundle = sampleBundle({});
  const { errors, warnings } = new BundleValidator().validate(bundle);
  expect({ errors, warnings }).toEqual({ errors: [], warnings: [] });
  expect(await createQueryable(bundle).query("{ integrations_v1 { name } resources_v1 { path } }")).toMatchObject({
    data: { integrations_v1: [], resources_v1: [] },
  });
});

describe("integrations from the seed documents", () => {
  test("an integration in today's form is valid as printed", async () => {
    const { bundle, errors, warnings } = await validate({
      "data/integrations/my-integration.yml": `$schema: /app-sre/integration-1.yml

name: openshift-resources
description: Manages OpenShift resources

managed:
- namespace:
    $ref: /services/app-interface/namespaces/app-interface-stage.yml
  spec:
    resources:
      requests:
        memory: 1Gi
        cpu: 100m
      limits:
        memory: 2Gi
  sharding:
    strategy: static
    shards: 2
`,
      "data/services/app-interface/namespaces/app-interface-stage.yml": namespace,
    });
    expect({ errors, warnings }).toEqual({ errors: [], warnings: [] });
    const query = "{ integrations_v1 { name managed { sharding { strategy ... on StaticSharding_v1 { shards } } } } }";
    expect((await createQueryable(bundle).query(query)).data).toEqual({
      integrations_v1: [{ name: "openshift-resources", managed: [{ sharding: { strategy: "static", shards: 2 } }] }],
    });
  });

  test("an integration in the form of 2022 is valid, with warnings for old and null fields", async () => {
    const { bundle, errors, warnings } = await validate({
      "data/aws-ami-share.yml": `$schema: /app-sre/integration-1.yml

name: aws-ami-share

description: Share AMI and AMI tags between accounts

upstream: https://github.com/app-sre/qontract-reconcile

operate:
- namespace:
    $ref: /path/to/namespace/file.yml
  spec:
    resources:
      requests:
      limits:
    logs:
      slack: true
    shards: 1
`,
      "data/path/to/namespace/file.yml": namespace,
    });
    expect(errors).toEqual([]);
    expect(warnings.map(({ at }) => at.join("."))).toEqual([
      "operate",
      "operate.0.spec.resources.requests",
      "operate.0.spec.resources.limits",
      "operate.0.spec.shards",
    ]);
    const query = `{ integrations_v1 { managed {
      namespace { name cluster { name } }
      spec { resources { requests { cpu } limits { memory } } logs { slack } }
      sharding { strategy ... on StaticSharding_v1 { shards } }
    } } }`;
    expect(await createQueryable(bundle).query(query)).toMatchObject({
      data: {
        integrations_v1: [
          {
            managed: [
              {
                namespace: { name: "there", cluster: { name: "c" } },
                spec: { resources: { requests: null, limits: null }, logs: { slack: true } },
                sharding: { strategy: "static", shards: 1 },
              },
            ],
          },
        ],
      },
    });
  });
});

test("G9-14: a namespace with few fields is found through an integration, but not listed among namespaces", async () => {
  const { bundle } = await validate({
    "data/i.yml":
      "$schema: /app-sre/integration-1.yml\nname: i\ndescription: d\nmanaged: [{namespace: {$ref: /n.yml}, spec: {}}]\n",
    "data/n.yml": namespace,
  });
  expect(
    (
      await createQueryable(bundle).query(
        "{ namespaces_v1 { name } integrations_v1 { managed { namespace { path name environment { name } } } } }",
      )
    ).data,
  ).toEqual({
    namespaces_v1: [],
    integrations_v1: [{ managed: [{ namespace: { path: "/n.yml", name: "there", environment: { name: "e" } } }] }],
  });
});

describe("examples/data", () => {
  const root = join(import.meta.dirname, "../../../examples/data");

  test("is valid, without a warning", async () => {
    const { errors, warnings } = new BundleValidator().validate(await openBundleSource(root).load(signal));
    expect({ errors, warnings }).toEqual({ errors: [], warnings: [] });
  });

  test("has the documented size, and uses every setting of an integration", async () => {
    const bundle = await openBundleSource(root).load(signal);
    const count = (schema: string) => [...bundle.datafiles.values()].filter((file) => file.schema === schema).length;
    expect([
      count("/app-sre/environment-1.yml"),
      count("/openshift/cluster-1.yml"),
      count("/app-sre/integration-1.yml"),
    ]).toEqual([3, 4, 13]);
    const text = JSON.stringify([...bundle.datafiles.values()].map(({ content }) => content));
    const spec = bundle.schemas.get("/app-sre/integration-spec-1.yml");
    const sharding = bundle.schemas.get("/app-sre/integration-sharding-1.yml");
    const names = Object.keys({ ...propertiesOf(spec), ...propertiesOf(sharding) });
    const notShown = names.filter((name) => !text.includes(`"${name}"`));
    expect(notShown).toEqual(["dashdotdb"]);
    for (const strategy of ["static", "per-aws-account", "per-openshift-cluster", "per-ocm-organization"]) {
      expect(text).toContain(`"strategy":"${strategy}"`);
    }
  });

  test("answers a query of its own types and resources", async () => {
    const queryable = createQueryable(await openBundleSource(root).load(signal));
    expect(
      (
        await queryable.query(
          '{ runbooks_v1(name: "lost-parcel") { app { name } steps { name } } resources_v1 { path backrefs { path jsonpath } } }',
        )
      ).data,
    ).toEqual({
      runbooks_v1: [
        { app: { name: "tracking" }, steps: [{ name: "look under the belt" }, { name: "ask the driver" }] },
      ],
      resources_v1: [
        { path: "/runbooks/lost-parcel.md", backrefs: [{ path: "/runbooks/lost-parcel.yml", jsonpath: "document" }] },
      ],
    });
  });
});

function propertiesOf(schema: unknown): object {
  return typeof schema === "object" &&
    schema !== null &&
    "properties" in schema &&
    typeof schema.properties === "object" &&
    schema.properties !== null
    ? schema.properties
    : {};
}
