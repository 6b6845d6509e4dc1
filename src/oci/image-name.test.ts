import { expect, test } from "vitest";
import { fullImageName } from "./image-name.ts";

test.each([
  { name: "tenon", full: "docker.io/library/tenon:latest", reason: "neither host nor tag" },
  { name: "tenon:1", full: "docker.io/library/tenon:1", reason: "no host" },
  { name: "team/tenon:1", full: "docker.io/team/tenon:1", reason: "a folder is not a host" },
  { name: "localhost/tenon:1", full: "localhost/tenon:1", reason: "localhost is a host" },
  { name: "127.0.0.1:5000/tenon", full: "127.0.0.1:5000/tenon:latest", reason: "a port is not a tag" },
])("the full name of $name is $full: $reason", ({ name, full }) => {
  expect(fullImageName(name)).toBe(full);
});
