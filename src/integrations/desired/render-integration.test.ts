import { describe, expect, test } from "vitest";
import { type JsonObject, valueAt } from "#base";
import { renderIntegration } from "./render-integration.ts";
import { integration, managed, sampleData, sampleOptions } from "./sample-world.fixture.ts";

const { signal } = new AbortController();
const sharding = { strategy: "static", shards: 11 };
const data = sampleData({
  "/integrations/a.yml": integration("a", [managed("test", {}, sharding), managed("prod")]),
  "/integrations/b.yml": integration("b", [managed("test")]),
  "/integrations/c.yml": integration("c", [managed("test", { carrierPigeon: true })]),
});

function textAt(object: JsonObject, ...path: readonly string[]): string {
  const value = valueAt(object, path);
  return typeof value === "string" ? value : "";
}

async function render(name: string, more: Parameters<typeof sampleOptions>[0] & { shard?: string } = {}) {
  const { namespaces, errors } = await renderIntegration(data, name, { ...sampleOptions(), ...more }, signal);
  const names = namespaces.map(({ cluster, namespace, objects }) => {
    return [
      `${cluster}/${namespace}`,
      ...objects.map((object) => `${textAt(object, "kind")} ${textAt(object, "metadata", "name")}`),
    ];
  });
  return { namespaces, errors, names };
}

describe("the objects of one integration", () => {
  test("are as they are sent: with their namespace, their owner and their hash, and nothing of others", async () => {
    const { namespaces, names } = await render("b");
    expect(names).toEqual([["c1/tools", "Deployment b"]]);
    expect(namespaces[0]?.objects[0]?.["metadata"]).toMatchObject({
      namespace: "tools",
      annotations: {
        "qontract.integration": "integrations-manager",
        "qontract.sha256sum": expect.stringMatching(/^[0-9a-f]{64}$/),
        "tenon.dev/integration": "b",
      },
    });
  });

  test("are narrowed to a cluster or a namespace", async () => {
    expect((await render("a", { cluster: ["c2"] })).names).toEqual([["c2/tools", "Deployment a"]]);
    expect((await render("b", { namespace: ["tools"] })).names).toEqual([["c1/tools", "Deployment b"]]);
  });

  test.each(["1", "a-1"])("are narrowed to the shard %s, and not to those whose names begin like it", async (shard) => {
    expect((await render("a", { cluster: ["c1"], shard })).names).toEqual([["c1/tools", "Deployment a-1"]]);
  });

  test("of a shard that does not exist are refused, with those that do", async () => {
    await expect(render("b", { shard: "7" })).rejects.toThrow(/--shard: b has no shard 7.*: 0/s);
  });

  test("of an integration with an error are missing, and the error is there", async () => {
    const { names, errors } = await render("c");
    expect(names).toEqual([]);
    expect(errors).toMatchObject([{ integration: "c", what: expect.stringContaining("carrierPigeon") }]);
  });
});
