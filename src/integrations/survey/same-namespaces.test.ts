import { expect, test } from "vitest";
import { ResourceInventory } from "#inventory";
import { dropRenamed, refuseSameNamespaces } from "./same-namespaces.ts";
import { sampleDesired, sampleGroup, sampleNamespace } from "../desired/sample-desired.fixture.ts";
import { surveyNamespaces } from "./survey-namespaces.ts";

const groups = ["c1/a", "c2/a", "c1/b"].map((endpoint) => sampleGroup(sampleNamespace(endpoint)));
const { namespaces } = surveyNamespaces(sampleDesired(groups), [], {});
const apart = ["c1", "c2"].map((name) => ({ name, endpoint: name }));
const together = ["c1", "c2"].map((name) => ({ name, endpoint: "the context x" }));

test("two namespaces of the data that are one on the cluster are left alone, for they would delete each other's objects", () => {
  const inventory = new ResourceInventory();
  refuseSameNamespaces(namespaces, apart, inventory);
  expect(inventory.errors).toEqual([]);
  refuseSameNamespaces(namespaces, together, inventory);
  expect(inventory.errors.map(({ cluster, namespace }) => `${cluster}/${namespace}`)).toEqual(["c1/a", "c2/a"]);
  expect(inventory.errors[0]?.what).toBe("the clusters c1 and c2 are both the context x, and both have a namespace a");
});

test("a cluster that got another name has left nothing behind", () => {
  const [first] = groups;
  const former = namespaces.filter(({ cluster }) => cluster.name === "c2").map(({ memory }) => memory);
  const survey = surveyNamespaces(sampleDesired(first ? [first] : []), former, {});
  const endpoints = (sources: typeof apart) =>
    dropRenamed(survey.namespaces, sources).map(({ cluster }) => cluster.name);
  expect(endpoints(apart)).toEqual(["c1", "c2"]);
  expect(endpoints(together)).toEqual(["c1"]);
});
