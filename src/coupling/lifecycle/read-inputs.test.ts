import { expect, test } from "vitest";
import { HeldSecrets } from "#base";
import type { KubeObject } from "#kube";
import { samplePair } from "../kinds/sample-pair.fixture.ts";
import { readSources } from "../sources/read-sources.ts";
import type { SourceRef } from "../sources/resolved.ts";
import { createReadSlots, sourceReader } from "./read-inputs.ts";

/** A cluster that answers one read at a time, when the test lets it. */
function slowCluster() {
  const waiting: (() => void)[] = [];
  const find = () =>
    new Promise<KubeObject | undefined>((resolve) => {
      waiting.push(() => resolve(undefined));
    });
  return { waiting, deps: { client: { impersonate: () => ({ find }) }, inputs: { slots: createReadSlots() } } };
}

const refs = (side: "plug" | "socket", count: number): SourceRef[] =>
  Array.from({ length: count }, (_, index) => ({
    apiVersion: "apps/v1",
    kind: "Deployment",
    namespace: "app",
    name: `d${index}`,
    side,
    field: `spec.vars[${index}]`,
  }));

test("plugs of one namespace read a few sources at once, and plugs of another namespace do not wait for them", async () => {
  const { waiting, deps } = slowCluster();
  const { plug, socket } = samplePair();
  const { signal } = new AbortController();
  const pair = { plug, socket };
  const many = [...refs("plug", 500), ...refs("socket", 500)];
  const looks = [1, 2].map(() =>
    readSources(many, (side) => sourceReader(pair, side, new HeldSecrets(), deps), signal),
  );
  await Promise.resolve();
  const inLine = waiting.length;
  expect(inLine).toBeLessThanOrEqual(8);
  const neighbour = { plug: { ...plug, metadata: { ...plug.metadata, namespace: "neighbour" } }, socket };
  const look = readSources(refs("socket", 1), (side) => sourceReader(neighbour, side, new HeldSecrets(), deps), signal);
  await Promise.resolve();
  expect(waiting.length).toBe(inLine + 1);
  waiting.pop()?.();
  await look;
  let reads = 0;
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    next();
    reads += 1;
    await new Promise(setImmediate);
  }
  await Promise.all(looks);
  expect(reads).toBe(2_000);
});

test("an aborted read does not wait for a slot", async () => {
  const { waiting, deps } = slowCluster();
  const pair = samplePair();
  const ending = new AbortController();
  const look = readSources(
    refs("plug", 100),
    (side) => sourceReader(pair, side, new HeldSecrets(), deps),
    ending.signal,
  );
  ending.abort(new Error("enough"));
  for (const answer of waiting) answer();
  await expect(look).rejects.toThrow("enough");
  expect(waiting.length).toBeLessThanOrEqual(8);
});
