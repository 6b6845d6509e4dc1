import { systemClock } from "#base";
import { readSnapshotState, Snapshot, snapshotStates, type SnapshotView } from "#promotion";
import { findObjects, type GetCoupledChoice, inNamespace } from "../couple/get-coupled.ts";
import type { Shell } from "../shell.ts";
import { describeAge } from "../terminal/describe-age.ts";
import type { Column } from "../terminal/format-table.ts";
import { printRows } from "../terminal/print-rows.ts";
import { snapshotColours } from "./state-colours.ts";

/** `tenon get snapshots`: what needs a person first, then the newest. */
export async function getSnapshots(name: string | undefined, choice: GetCoupledChoice, shell: Shell): Promise<void> {
  const found = await findObjects(Snapshot, name, choice, shell);
  const rows = found
    .map(readSnapshotState)
    .toSorted((one, other) => rank(one) - rank(other) || (one.created < other.created ? 1 : -1));
  const now = systemClock.now();
  const columns: Column<SnapshotView>[] = [
    { header: "namespace", value: ({ namespace }) => namespace, keep: "all" },
    { header: "snapshot", value: ({ snapshot }) => snapshot, keep: "all" },
    { header: "of", value: ({ type, component, owner }) => component ?? `${type} of ${owner}` },
    { header: "state", value: ({ state }) => state, colour: ({ state }) => snapshotColours[state], keep: "all" },
    { header: "tests", value: ({ tests }) => `${tests.filter(hasPassed).length}/${tests.length}` },
    { header: "age", value: ({ created }) => describeAge(created, now) },
    { header: "what to do", value: ({ next }) => next, below: ({ next }) => (next === undefined ? [] : [next]) },
  ];
  await printRows({ rows, columns, whenEmpty: `no snapshots${inNamespace(choice)}` }, choice.output, shell);
}

function rank({ state }: SnapshotView): number {
  return state === "Invalid" || state === "Failed" ? snapshotStates.indexOf(state) : snapshotStates.length;
}

function hasPassed({ status }: SnapshotView["tests"][number]): boolean {
  return status === "TestPassed" || status === "TestWarning";
}
