import { expect, test } from "vitest";
import { parseServerVersion } from "./server-version.ts";

const rows = [
  {
    reason: "plain",
    body: '{"major":"1","minor":"37","gitVersion":"v1.37.1"}',
    version: { major: 1, minor: 37, text: "v1.37.1" },
  },
  {
    reason: "of a vendor",
    body: '{\n  "minor": "30+",\n  "gitVersion": "v1.30.4-gke.1"\n}',
    version: { major: 1, minor: 30, text: "v1.30.4-gke.1" },
  },
  { reason: "without a v", body: '{"gitVersion":"1.31.0"}', version: { major: 1, minor: 31, text: "1.31.0" } },
  { reason: "of something else", body: "<html>", version: undefined },
];

test.each(rows)("a version $reason", ({ body, version }) => {
  expect(parseServerVersion(body)).toEqual(version);
});
