import type { ShownReleaseState, SnapshotState } from "#promotion";
import type { Colour } from "../terminal/paint.ts";

export const snapshotColours: Readonly<Partial<Record<SnapshotState, Colour>>> = { Invalid: "red", Failed: "red" };
export const releaseColours: Readonly<Partial<Record<ShownReleaseState, Colour>>> = { Invalid: "red", Failed: "red" };
