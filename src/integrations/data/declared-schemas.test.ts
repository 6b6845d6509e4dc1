import { expect, test } from "vitest";
import type { Queryable } from "#bundle";
import { computeDesired } from "../desired/compute-desired.ts";
import { integration, managed, sampleData, sampleOptions } from "../desired/sample-world.fixture.ts";
import { withinDeclaredSchemas } from "./declared-schemas.ts";

const { signal } = new AbortController();

const read = [
  "/app-sre/integration-1.yml",
  "/openshift/namespace-1.yml",
  "/app-sre/environment-1.yml",
  "/openshift/cluster-1.yml",
];
const accounts = "/aws/account-1.yml";

function dataOf(schemas: readonly string[] | undefined, sharding?: { readonly strategy: string }) {
  return sampleData({
    "/integrations/a.yml": integration("a", [managed("test", {}, sharding)], { shardArguments: ["--account-name"] }),
    "/integrations/manager.yml": integration("integrations-manager", [], schemas ? { schemas: [...schemas] } : {}),
    "/aws/one.yml": { $schema: accounts, name: "one" },
  });
}

test("E-18: the manager may read files of the schemas that its own file lists, and an error names any other", async () => {
  const { errors } = await computeDesired(dataOf(read), sampleOptions(), signal);
  expect(errors).toEqual([]);
  const without = read.filter((schema) => schema !== "/openshift/cluster-1.yml");
  await expect(computeDesired(dataOf(without), sampleOptions(), signal)).rejects.toThrow(
    expect.objectContaining({
      name: "InputError",
      what: "integrations-manager reads files of /openshift/cluster-1.yml, which its schemas do not list",
      next: "add them to the schemas of integrations-manager, or remove the list",
    }),
  );
});

test("E-18: each query is checked against the listed schemas, also the one for the items that shards are made of", async () => {
  const perAccount = { strategy: "per-aws-account" };
  const failed = await computeDesired(dataOf(read, perAccount), sampleOptions(), signal);
  expect(failed.errors).toMatchObject([{ integration: "a", what: expect.stringContaining(accounts) }]);
  const whole = await computeDesired(dataOf([...read, accounts], perAccount), sampleOptions(), signal);
  expect(whole.errors).toEqual([]);
});

test.each([
  {
    reason: "no file of the manager",
    data: sampleData({ "/integrations/a.yml": integration("a", [managed("test")]) }),
  },
  { reason: "no list in it", data: dataOf(undefined) },
])("E-18: a manager without a list of schemas may read all files: $reason", async ({ data }) => {
  expect(await withinDeclaredSchemas(data, signal)).toBe(data);
});

test("a server that knows no such lists is asked for all, and one that fails is not", async () => {
  const message = "Cannot query field schemas";
  const old: Queryable = { identity: "old", query: async () => ({ errors: [{ message }] }) };
  expect(await withinDeclaredSchemas(old, signal)).toBe(old);
  const broken: Queryable = { identity: "b", query: async () => ({ data: { managers: null }, errors: [{ message }] }) };
  await expect(withinDeclaredSchemas(broken, signal)).rejects.toThrow(message);
});
