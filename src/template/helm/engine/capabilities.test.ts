import { expect, test } from "vitest";
import { parseKubeVersion } from "./capabilities.ts";

test.each([
  { text: "1.34", version: "v1.34", major: "1", minor: "34", reason: "two numbers" },
  { text: "v1.34.2", version: "v1.34.2", major: "1", minor: "34", reason: "three numbers" },
  {
    text: "1.34.2-eks-1+x",
    version: "v1.34.2",
    major: "1",
    minor: "34",
    reason: "a version with a suffix, which is dropped",
  },
  { text: " 1.05.1.9", version: "v1.5.1.9", major: "1", minor: "5", reason: "four numbers and leading zeros" },
])("parseKubeVersion reads $reason: $text", ({ text, version, major, minor }) => {
  expect(parseKubeVersion(text)).toEqual({ version, major, minor });
});

test.each(["1", "", "abc", "01.2", "x1.2", "1.99999999999999999999"])("parseKubeVersion refuses %s", (text) => {
  expect(() => parseKubeVersion(text)).toThrow("is not a valid Kubernetes version; write it like 1.34");
});
