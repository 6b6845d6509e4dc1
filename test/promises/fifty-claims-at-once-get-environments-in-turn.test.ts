import { expect, test } from "vitest";
import type { KubeObject } from "#kube";
import { valueAt } from "#base";
import { messageOf, useEnvironments } from "../../src/promotion/environments/use-environments.fixture.ts";

const world = useEnvironments();
const { namespace } = world;
const all = Array.from({ length: 50 }, (_, index) => `claim-${String(index).padStart(2, "0")}`);
const quota = 20;

async function claimsInOrder(): Promise<readonly KubeObject[]> {
  const { items } = await world.client.list(world.claims);
  return items.toSorted((one, other) => (one.metadata.name < other.metadata.name ? -1 : 1));
}

/** How far each claim is, and the place of one that waits. */
async function states(): Promise<readonly string[]> {
  return (await claimsInOrder()).map(({ metadata: { name }, status }) => {
    const words = [valueAt(status, ["phase"]), valueAt(status, ["place"])];
    return [name, ...words.flatMap((word) => (word === undefined ? [] : [JSON.stringify(word)]))].join(" ");
  });
}

const expected = (served: readonly string[], waiting: readonly string[]) => [
  ...served.map((name) => `${name} "Ready"`),
  ...waiting.map((name, index) => `${name} "Pending" ${index + 1}`),
];

test("P56: 50 claims at once against a quota of 20 are served in the order they came, and each that waits says its place and why", async () => {
  const className = await world.createClass("of-twenty", { maxPerNamespace: 50, maxTotal: quota });
  // Before Tenon looks at the first one.
  for (const name of all) await world.createClaim(name, { className });
  const stop = await world.start();
  const polling = { timeout: 300_000, interval: 250 };
  await expect.poll(states, polling).toEqual(expected(all.slice(0, quota), all.slice(quota)));
  for (const [index, claim] of (await claimsInOrder()).slice(quota).entries()) {
    const why = `there are ${quota} of ${quota} environments of class ${className}`;
    expect(messageOf(claim)).toBe(`place ${index + 1} in the queue: ${why}`);
  }
  const given = [3, 7, 11].map((index) => all[index] ?? "");
  for (const name of given) await world.client.delete({ ...world.claims, name });
  const served = all.slice(0, quota + given.length).filter((name) => !given.includes(name));
  await expect.poll(states, polling).toEqual(expected(served, all.slice(quota + given.length)));
  const labelSelector = "tenon.dev/claim-uid";
  const { items } = await world.client.list({ apiVersion: "v1", kind: "Namespace", labelSelector });
  const own = items.filter(({ metadata }) => metadata.annotations?.["tenon.dev/claim"]?.startsWith(`${namespace}/`));
  expect(own).toHaveLength(quota);
  await stop();
});
