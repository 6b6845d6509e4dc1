import { expect } from "vitest";
import type { WatchedWorld } from "./watched-world.ts";

/**
 * The cache equals a fresh list; replaying the changes gives the same; no change came twice or in the wrong order; and
 * the whole state was never read where a watch could go on.
 */
export async function expectNothingLost(world: WatchedWorld): Promise<void> {
  await world.caughtUp();
  const { kept, told, listed } = await world.compare();
  expect(kept).toEqual(listed);
  expect(told).toEqual(listed);
  expect(world.changes.faults).toEqual([]);
  expect(world.readings.needless).toBe(0);
}
