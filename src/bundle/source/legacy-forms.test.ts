import { describe, expect, test } from "vitest";
import type { JsonObject } from "#base";
import { normalizeIntegration } from "./legacy-forms.ts";

const schema = "/app-sre/integration-1.yml";
const namespace = { $ref: "/n.yml" };

describe("normalizeIntegration converts", () => {
  test.each<{ reason: string; written: JsonObject; content: JsonObject }>([
    {
      reason: "operate to managed",
      written: { name: "a", operate: [{ namespace, spec: {} }], upstream: "b" },
      content: { name: "a", managed: [{ namespace, spec: {} }], upstream: "b" },
    },
    {
      reason: "spec.shards to static sharding",
      written: { operate: [{ namespace, spec: { shards: 3, state: true } }] },
      content: { managed: [{ namespace, spec: { state: true }, sharding: { strategy: "static", shards: 3 } }] },
    },
    {
      reason: "spec.shards below managed",
      written: { managed: [{ namespace, spec: { shards: 1 } }] },
      content: { managed: [{ namespace, spec: {}, sharding: { strategy: "static", shards: 1 } }] },
    },
    {
      reason: "null requests and limits to absent ones",
      written: {
        managed: [{ spec: { resources: { requests: null, limits: null }, fluentdResources: { limits: null } } }],
      },
      content: { managed: [{ spec: { resources: {}, fluentdResources: {} } }] },
    },
    {
      reason: "null requests in shard overrides",
      written: {
        managed: [{ sharding: { shardSpecOverrides: [{ resources: { requests: null, limits: { memory: "1Gi" } } }] } }],
      },
      content: { managed: [{ sharding: { shardSpecOverrides: [{ resources: { limits: { memory: "1Gi" } } }] } }] },
    },
  ])("$reason", ({ written, content }) => {
    expect(normalizeIntegration(schema, written)).toEqual(content);
  });
});

describe("normalizeIntegration returns the same object for", () => {
  test.each<{ reason: string; written: JsonObject; of?: string }>([
    { reason: "the new form", written: { managed: [{ namespace, spec: { resources: { limits: { memory: "1" } } } }] } },
    { reason: "old and new name together, which validation rejects", written: { operate: [], managed: [] } },
    { reason: "old and new sharding together", written: { managed: [{ spec: { shards: 2 }, sharding: {} }] } },
    { reason: "another null", written: { managed: null, description: null } },
    { reason: "managed that is not a list", written: { managed: { spec: { shards: 1 } } } },
    { reason: "a list without objects", written: { managed: [null, 1, "x", []] } },
    { reason: "files of other schemas", written: { operate: [{ spec: { shards: 1 } }] }, of: "/own-1.yml" },
  ])("$reason", ({ written, of = schema }) => {
    expect(normalizeIntegration(of, written)).toBe(written);
  });
});
