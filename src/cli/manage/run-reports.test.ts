import { expect, test } from "vitest";
import { nameLocation, whoRuns } from "./run-reports.ts";

test.each([
  ["https://user:token@data.example.com/graphql", "https://data.example.com/graphql"],
  ["https://git.example.com/data.git#main:prod", "https://git.example.com/data.git#main:prod"],
  ["git@git.example.com:data.git#main", "git@git.example.com:data.git#main"],
  [".", process.cwd()],
])("the location %s is recorded as %s", (location, expected) => {
  expect(nameLocation(location)).toBe(expected);
});

test("a run is recorded with its pod, else with the user and the machine", () => {
  expect(whoRuns({ POD_NAME: "tenon-7d9f8" })).toBe("tenon-7d9f8");
  expect(whoRuns({})).toMatch(/^.+@.+$/);
});
