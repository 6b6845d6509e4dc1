import { expect, test } from "vitest";
import type { JsonObject } from "#base";
import { desiredPlaces } from "./desired-places.ts";
import { integration, managed, namespace, sampleOptions, validatedData } from "./sample-world.fixture.ts";

const places = async (files: Readonly<Record<string, JsonObject>>, options = {}) =>
  (await desiredPlaces(validatedData(files), sampleOptions(options), AbortSignal.timeout(60_000))).map(
    (place) => `${place.cluster.name}/${place.namespace}/${place.integration} ${place.shards}`,
  );

test("each namespace that an integration runs in is a place, with its number of shards", async () => {
  const files = {
    "/integrations/feed.yml": integration("feed", [managed("test"), managed("prod")]),
    "/integrations/many.yml": integration("many", [managed("test", {}, { strategy: "static", shards: 3 })]),
  };
  expect((await places(files)).toSorted()).toEqual(["c1/tools/feed 1", "c1/tools/many 3", "c2/tools/feed 1"]);
  expect(await places(files, { integration: ["many"] })).toEqual(["c1/tools/many 3"]);
});

test("an integration with an invalid file, and a namespace that is to be deleted, have no place", async () => {
  const files = {
    "/integrations/bad.yml": integration("bad", [managed("test")], { unknown: true }),
    "/integrations/gone.yml": integration("gone", [managed("/namespaces/old.yml")]),
    "/namespaces/old.yml": namespace("old", "test", "c1", { delete: true }),
  };
  expect(await places(files)).toEqual([]);
});

test("a suspended integration keeps its place, with the reason", async () => {
  const data = validatedData({
    "/integrations/feed.yml": integration("feed", [managed("test")], { suspend: { reason: "a migration" } }),
  });
  const [place] = await desiredPlaces(data, sampleOptions(), AbortSignal.timeout(60_000));
  expect(place?.suspended).toBe("a migration");
});
