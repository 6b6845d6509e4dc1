import { kindOfSide, type Pair, type Plug, sideOf, type Socket, warnings } from "../kinds/index.ts";
import type { RenderedAction } from "../resources/render-resources.ts";
import { describeEmpty, emptyReadsOf, type EmptyValue } from "../sources/empty-values.ts";
import type { CouplingDeps } from "./coupling-deps.ts";

/** Once for each template: a warning before a value breaks it. */
export function warnOfUnquoted(actions: readonly RenderedAction[], object: Plug | Socket, deps: CouplingDeps): void {
  const found = new Map(actions.map(({ field, unquoted }) => [field, unquoted]));
  for (const [field, names] of found) {
    if (names.length === 0) continue;
    deps.report.events[kindOfSide[sideOf(object)]].record(object, {
      type: "Warning",
      reason: warnings.unquoted,
      message: `${field}: ${names.join(", ")} may contain characters that are special in YAML; pass it through quote or toJson`,
    });
  }
}

/** A misspelt name is not an error of a template: its value is empty. */
export function warnOfEmpty(
  values: readonly EmptyValue[],
  actions: readonly RenderedAction[],
  object: Plug | Socket,
  pair: Partial<Pair>,
  deps: CouplingDeps,
): void {
  const side = sideOf(object);
  const own = values.filter((value) => value.side === side);
  const message = describeEmpty([...own, ...actions.flatMap(({ missing }) => emptyReadsOf(missing, pair, side))]);
  if (message === undefined) return;
  deps.report.events[kindOfSide[side]].record(object, { type: "Warning", reason: warnings.empty, message });
}
