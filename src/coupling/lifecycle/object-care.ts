import type { Clock } from "#base";
import { isNewerVersion } from "#kube";
import type { Side } from "../kinds/index.ts";
import type { FollowedRef } from "./input-watches.ts";
import { UpdateLoop } from "./update-loop.ts";

/** An object that is watched, with the rights of its side. */
export interface FollowedObject extends FollowedRef {
  readonly side: Side;
}

/**
 * What the process keeps about the objects that a plug or socket looks after. A restart reads each of them once. Most plugs look
 * after none, and an empty Map is as large as what is kept about an object: there is none until it is needed.
 */
export class ObjectCare {
  /** A change of these wakes the plug or socket. */
  followed: readonly FollowedObject[] = [];
  readonly #clock: Pick<Clock, "monotonic">;
  /** The version in which each object was found right. */
  #right: Map<string, string> | undefined;
  #repairs: Map<string, UpdateLoop> | undefined;

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  noteRight(key: string, version: string): void {
    this.#right ??= new Map();
    this.#right.set(key, version);
  }

  /** Whether an object is unchanged since it was right, as far as the version tells. */
  isRight(key: string, version: string): boolean {
    const known = this.#right?.get(key);
    return known !== undefined && !isNewerVersion(version, known);
  }

  /** How often an object was repaired lately. */
  repairsOf(key: string): UpdateLoop {
    this.#repairs ??= new Map();
    const known = this.#repairs.get(key) ?? new UpdateLoop(this.#clock);
    this.#repairs.set(key, known);
    return known;
  }

  /** When an object that is right now counts as left alone, if it was repaired too often. */
  calmInMs(key: string): number | undefined {
    return this.#repairs?.get(key)?.calmInMs;
  }

  /** Forgets what is kept about objects other than these. */
  keepOnly(keys: ReadonlySet<string>): void {
    for (const map of [this.#right, this.#repairs])
      for (const key of map?.keys() ?? []) if (!keys.has(key)) map?.delete(key);
  }
}
