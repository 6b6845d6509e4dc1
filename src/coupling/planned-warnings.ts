import { redact } from "#base";
import { describeObject, type Pair, sides } from "./kinds/index.ts";
import { findAbsentKeys } from "./projection/plan-mount.ts";
import type { RenderedAction } from "./resources/render-resources.ts";
import { describeEmpty, emptyReadsOf } from "./sources/empty-values.ts";
import type { ResolvedInputs, ResolvedResults } from "./sources/resolved.ts";

/** What a plan warns of beside the socket itself: keys that are never given, and what is read although it does not exist. */
export function plannedWarnings(
  pair: Pair,
  inputs: ResolvedInputs,
  results: ResolvedResults | undefined,
  made: readonly RenderedAction[],
): string[] {
  return [...(results ? findAbsentKeys(pair, results) : []), ...emptyOf(pair, inputs, results, made)];
}

/** What is read although it does not exist, for each side. */
function emptyOf(
  pair: Pair,
  inputs: ResolvedInputs,
  results: ResolvedResults | undefined,
  made: readonly RenderedAction[],
): string[] {
  const ofTemplates = made.flatMap(({ missing, side }) => emptyReadsOf(missing, pair, side));
  const all = [...(inputs.empty ?? []), ...(results?.empty ?? []), ...ofTemplates];
  return sides.flatMap((side) => {
    const found = describeEmpty(all.filter((value) => value.side === side));
    return found === undefined ? [] : [redact(`${describeObject(pair[side])}: ${found}`)];
  });
}
