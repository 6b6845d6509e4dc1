import { expect, test } from "vitest";
import { FakeClock } from "../../../base/fake-clock.fixture.ts";
import { samplePair } from "../../kinds/sample-pair.fixture.ts";
import { ServiceChecks } from "./own-pods.ts";

const { signal } = new AbortController();
const { plug } = samplePair();
const service = { namespace: "app", name: "p-apparatus", clusterIP: "10.96.0.7" };

/** Checks of a Service whose address, and whether it is there, the test decides. */
function setUp() {
  const live: { clusterIP: string | undefined } = { clusterIP: service.clusterIP };
  const reads: string[] = [];
  const findAddress = async (_: unknown, name: string) => {
    reads.push(name);
    return live.clusterIP;
  };
  const clock = new FakeClock();
  const checks = new ServiceChecks({ findAddress }, clock);
  return { live, reads, clock, isCurrent: (of = service) => checks.isCurrent(of, plug, signal) };
}

test("a Service is read once for all calls within ten seconds, and again afterwards", async () => {
  const { reads, clock, isCurrent } = setUp();
  for (let calls = 0; calls < 3; calls++) expect(await isCurrent()).toBe(true);
  await clock.advance(9_999);
  await isCurrent();
  expect(reads).toEqual(["p-apparatus"]);
  await clock.advance(1);
  expect(await isCurrent()).toBe(true);
  expect(reads).toHaveLength(2);
});

test.for([
  { clusterIP: undefined, reason: "it is gone, or another owner's" },
  { clusterIP: "10.96.0.8", reason: "it was made anew, with another address" },
])("a changed address is no longer used: $reason", async ({ clusterIP }) => {
  const { live, clock, isCurrent } = setUp();
  await isCurrent();
  live.clusterIP = clusterIP;
  await clock.advance(10_000);
  expect([await isCurrent(), await isCurrent()]).toEqual([false, false]);
});

test("a Service from a new start is read again, although an older one was verified", async () => {
  const { reads, isCurrent } = setUp();
  await isCurrent();
  await isCurrent({ ...service });
  expect(reads).toHaveLength(2);
});
