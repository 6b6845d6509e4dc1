import { expect, test } from "vitest";
import { homePath } from "./home-path.ts";

test.for([
  { path: "/home/ann/a/b", home: "/home/ann", text: "~/a/b", reason: "below the home" },
  { path: "/home/ann/a b", home: "/home/ann", text: "~/'a b'", reason: "the shell expands only an unquoted ~" },
  { path: "/home/anna/a", home: "/home/ann", text: "/home/anna/a", reason: "another user's" },
  { path: "/a", home: "/", text: "/a", reason: "a container's home may be /" },
  { path: "/a", home: undefined, text: "/a", reason: "no home" },
])("$path in a home $home is $text: $reason", ({ path, home, text }) => {
  expect(homePath(path, { HOME: home })).toBe(text);
});
