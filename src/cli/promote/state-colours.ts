import type { ClaimPhase, ShownReleaseState, SnapshotState } from "#promotion";
import type { Colour } from "../terminal/paint.ts";

export const claimColours: Readonly<Partial<Record<ClaimPhase, Colour>>> = { Failed: "red", Releasing: "yellow" };
export const snapshotColours: Readonly<Partial<Record<SnapshotState, Colour>>> = { Invalid: "red", Failed: "red" };
export const releaseColours: Readonly<Partial<Record<ShownReleaseState, Colour>>> = { Invalid: "red", Failed: "red" };
