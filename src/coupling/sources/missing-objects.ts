import { InputError } from "#base";
import { describeRef } from "#kube";
import { describeObject, type Pair } from "../kinds/pair.ts";
import type { FoundSources } from "./read-sources.ts";
import type { SourceRef } from "./resolved.ts";

/** Says of all sources that are not there where they are asked for. */
export function missingObjects(pair: Pair, refs: readonly SourceRef[], found: FoundSources): InputError | undefined {
  const [first, ...others] = refs.filter((ref) => found.get(ref) === undefined);
  if (!first) return undefined;
  const more = others.map((ref) => `; ${placeOf(pair, ref)}: ${describeRef(ref)} does not exist`);
  return new InputError(`${describeRef(first)} does not exist${more.join("")}`, {
    where: placeOf(pair, first),
    next: others.length > 0 ? "create them, or correct their names" : "create it, or correct its name",
  });
}

function placeOf(pair: Pair, { side, field }: SourceRef): string {
  return `${describeObject(pair[side])} ${field}`;
}
