import { expect, test } from "vitest";
import { collectorSettings } from "./go.ts";

test.each([
  {
    reason: "much memory for two compilers",
    memoryGiB: 24,
    compilers: 2,
    settings: { GOGC: "off", GOMEMLIMIT: "4GiB" },
  },
  { reason: "a laptop", memoryGiB: 16, compilers: 8, settings: { GOGC: "off", GOMEMLIMIT: "1GiB" } },
  { reason: "too little memory to do without the collector", memoryGiB: 8, compilers: 8, settings: {} },
])("Go's compilers together leave half of the memory free: $reason", ({ memoryGiB, compilers, settings }) => {
  expect(collectorSettings(memoryGiB * 2 ** 30, compilers)).toEqual(settings);
});
