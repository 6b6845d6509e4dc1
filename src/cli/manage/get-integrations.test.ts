import { expect, test } from "vitest";
import { joinImages } from "./get-integrations.ts";

test.for([
  { images: [], expected: undefined, reason: "nothing runs" },
  { images: ["quay.io/a/b:v1", "quay.io/a/b:v1"], expected: "quay.io/a/b:v1", reason: "they are the same" },
  { images: ["quay.io/a/b:v1", "quay.io/a/b:v2"], expected: "quay.io/a/b:v1, v2", reason: "only their tags differ" },
  { images: ["host:5000/a", "host:5000/b:v1"], expected: "host:5000/a, host:5000/b:v1", reason: "both are named" },
  { images: ["a@sha256:12", "a:v1"], expected: "a@sha256:12, v1", reason: "a digest is like a tag" },
])("images $images are shown as $expected, because $reason", ({ images, expected }) => {
  expect(joinImages(images)).toBe(expected);
});
