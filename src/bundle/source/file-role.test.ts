import { expect, test } from "vitest";
import { findFileRole } from "./file-role.ts";

test.each([
  { path: "data/a/b.yml", hasData: true, role: { part: "data", path: "/a/b.yml" }, reason: "a data file" },
  { path: "data/a.txt", hasData: true, role: undefined, reason: "not a data file" },
  { path: "notes.yml", hasData: true, role: undefined, reason: "a file outside data/" },
  { path: "a/notes.yml", hasData: true, role: undefined, reason: "the same, in a folder" },
  {
    path: "notes.yml",
    hasData: false,
    role: { part: "data", path: "/notes.yml" },
    reason: "a data file without data/",
  },
  { path: "a/b.json", hasData: false, role: { part: "data", path: "/a/b.json" }, reason: "the same, in a folder" },
  { path: "resources/a.bin", hasData: false, role: { part: "resources", path: "/a.bin" }, reason: "a resource" },
  { path: "schemas/a-1.yml", hasData: false, role: { part: "schemas", path: "/a-1.yml" }, reason: "a schema" },
  { path: "schemas/a.md", hasData: false, role: undefined, reason: "not a schema" },
  {
    path: "graphql-schemas/schema.yml",
    hasData: false,
    role: { part: "description", path: "/graphql-schemas/schema.yml" },
    reason: "the description",
  },
  { path: "graphql-schemas/old.yml", hasData: false, role: undefined, reason: "not the description" },
])("$path with data/ $hasData: $reason", ({ path, hasData, role }) => {
  expect(findFileRole(path, hasData)).toEqual(role);
});
