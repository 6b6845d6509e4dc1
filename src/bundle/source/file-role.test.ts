import { expect, test } from "vitest";
import { findFileRole } from "./file-role.ts";

test.each([
  { path: "data/a/b.yml", hasData: true, place: { part: "data", path: "/a/b.yml" }, reason: "a data file" },
  { path: "data/a.txt", hasData: true, place: undefined, reason: "something beside them" },
  { path: "notes.yml", hasData: true, place: undefined, reason: "a file of the repository that is no data" },
  { path: "a/notes.yml", hasData: true, place: undefined, reason: "the same, in a folder" },
  {
    path: "notes.yml",
    hasData: false,
    place: { part: "data", path: "/notes.yml" },
    reason: "a data file without data/",
  },
  { path: "a/b.json", hasData: false, place: { part: "data", path: "/a/b.json" }, reason: "the same, in a folder" },
  { path: "resources/a.bin", hasData: false, place: { part: "resources", path: "/a.bin" }, reason: "a resource" },
  { path: "schemas/a-1.yml", hasData: false, place: { part: "schemas", path: "/a-1.yml" }, reason: "a schema" },
  { path: "schemas/a.md", hasData: false, place: undefined, reason: "something beside schemas" },
  {
    path: "graphql-schemas/schema.yml",
    hasData: false,
    place: { part: "description", path: "/graphql-schemas/schema.yml" },
    reason: "the description",
  },
  { path: "graphql-schemas/old.yml", hasData: false, place: undefined, reason: "something beside the description" },
])("$path, data/ is there: $hasData: $reason", ({ path, hasData, place }) => {
  expect(findFileRole(path, hasData)).toEqual(place);
});
