import { expect, test } from "vitest";
import { samplePair } from "../../kinds/sample-pair.fixture.ts";
import { idleAt } from "./idle-pods.ts";

const keep = { "integration.rock8s.com/apparatus-keep": "true" };

test.for([
  { idleTimeout: undefined, lastUse: 1_000, at: 61_000, reason: "a minute unless it says otherwise" },
  { idleTimeout: 0, lastUse: 1_000, at: 61_000, reason: "zero is nothing said" },
  { idleTimeout: 5, lastUse: 1_000, at: 6_000, reason: "seconds" },
  { idleTimeout: 5, lastUse: undefined, at: undefined, reason: "not while it is in use" },
  { idleTimeout: 5, lastUse: 1_000, annotations: keep, at: undefined, reason: "its owner wants to keep it" },
])("X16: a pod may be stopped after its idle seconds: $reason", ({ idleTimeout, lastUse, at, annotations }) => {
  const apparatus = { containers: [{ name: "main" }], ...(idleTimeout === undefined ? {} : { idleTimeout }) };
  const { plug } = samplePair({ apparatus });
  const owner = { ...plug, metadata: { ...plug.metadata, ...(annotations ? { annotations } : {}) } };
  expect(idleAt(owner, lastUse)).toBe(at);
});
