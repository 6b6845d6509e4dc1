import { systemClock } from "#base";
import { Release, type ReleaseView, shownReleaseStates, viewRelease } from "#promotion";
import { findObjects, type GetCoupledChoice, inNamespace } from "../couple/get-coupled.ts";
import type { Shell } from "../shell.ts";
import { describeAge } from "../terminal/describe-age.ts";
import type { Column } from "../terminal/format-table.ts";
import { printRows } from "../terminal/print-rows.ts";
import { releaseColours } from "./state-colours.ts";

/** `tenon get releases`: what needs a person first, then the newest. */
export async function getReleases(name: string | undefined, choice: GetCoupledChoice, shell: Shell): Promise<void> {
  const found = await findObjects(Release, name, choice, shell);
  const rows = found
    .map(viewRelease)
    .toSorted((one, other) => rankOf(one) - rankOf(other) || (one.created < other.created ? 1 : -1));
  const now = systemClock.now();
  const columns: Column<ReleaseView>[] = [
    { header: "namespace", value: ({ namespace }) => namespace, keep: "all" },
    { header: "release", value: ({ release }) => release, keep: "all" },
    { header: "plan", value: ({ plan }) => plan, keep: "all", isDispensable: true },
    { header: "state", value: ({ state }) => state, colour: ({ state }) => releaseColours[state], keep: "all" },
    { header: "age", value: ({ created }) => describeAge(created, now) },
    { header: "what to do", value: ({ next }) => next, below: ({ next }) => (next === undefined ? [] : [next]) },
  ];
  await printRows({ rows, columns, whenEmpty: `no releases${inNamespace(choice)}` }, choice.output, shell);
}

function rankOf({ state }: ReleaseView): number {
  return state === "Invalid" || state === "Failed" ? shownReleaseStates.indexOf(state) : shownReleaseStates.length;
}
