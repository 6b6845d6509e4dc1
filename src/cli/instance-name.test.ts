import { expect, test } from "vitest";
import { InputError } from "#base";
import { requireInstanceName } from "./instance-name.ts";

test.for(["default", "a", "0", "a-1", "a".repeat(40)])("%s is a name", (name) => {
  expect(requireInstanceName(name)).toBe(name);
});

test.for([
  { name: "", reason: "empty" },
  { name: "Default", reason: "upper case" },
  { name: "-a", reason: "a dash in front" },
  { name: "a-", reason: "a dash at the end" },
  { name: "a.b", reason: "a dot" },
  { name: "../../etc", reason: "a path" },
  { name: "a\n", reason: "a newline at the end" },
  { name: "é", reason: "no ASCII" },
  { name: "a".repeat(41), reason: "too long" },
])("$name is none: $reason", ({ name }) => {
  expect(() => requireInstanceName(name)).toThrow(InputError);
});
