import { expect, test } from "vitest";
import type { EnvironmentView } from "#promotion";
import { EnvironmentQuery } from "./environment-api.ts";
import { queryEnvironments } from "./environment-routes.ts";

const view = (propagation: string, environment: string, running: string | undefined): EnvironmentView => ({
  namespace: "shop",
  propagation,
  environment,
  component: "web",
  image: "quay.io/acme/web:released",
  state: "UpToDate",
  released: "sha256:new",
  ...(running === undefined ? {} : { running, runningSince: "2026-11-18T20:00:00Z" }),
  where: [],
});

const views = [
  view("front", "stage", "sha256:new"),
  view("front", "prod", "sha256:old"),
  view("back", "stage", "sha256:new"),
  view("back", "prod", "sha256:new"),
  view("silent", "prod", undefined),
];
const ask = (query: Record<string, string>) => queryEnvironments(views, EnvironmentQuery.parse(query));
const namesOf = (query: Record<string, string>) => ask(query).groups.map(({ propagation }) => propagation);

test("each propagation is a table of components by environments, in the order of its stages", () => {
  const [front] = ask({}).groups;
  expect(front?.environments).toEqual(["stage", "prod"]);
  expect(front?.components[0]?.cells.map(({ running, isBehind }) => [running, isBehind])).toEqual([
    ["sha256:new", false],
    ["sha256:old", true],
  ]);
  expect(ask({}).environments).toEqual(["stage", "prod"]);
});

test.each([
  { query: {}, names: ["front", "back", "silent"], reason: "all, without a filter" },
  { query: { only: "behind" }, names: ["front", "silent"], reason: "what does not run what is released" },
  { query: { only: "behind", environment: "stage" }, names: [], reason: "in one environment" },
  { query: { search: "OLD" }, names: ["front"], reason: "a digest, in any case" },
  { query: { namespace: "other" }, names: [], reason: "another namespace" },
  { query: { offset: "1", limit: "1" }, names: ["back"], reason: "the second page" },
])("environments are found by filters: $reason", ({ query, names }) => {
  expect(namesOf(query)).toEqual(names);
});
