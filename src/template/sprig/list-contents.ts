import {
  type Budget,
  deepEqual,
  type GoFunction,
  goFunction,
  type GoValue,
  Int,
  isTrue,
  variadicFunction,
} from "#golang";
import { listElements } from "./lists.ts";

const compact = goFunction(["any"], ([value], { budget }) => {
  return listElements(value, "Cannot compact on type %s", budget).filter(isTrue);
});

const uniq = goFunction(["any"], ([value], { budget }) => {
  const seen = new ValueSet(budget);
  return listElements(value, "Cannot find uniq on type %s", budget).filter((element) => {
    if (seen.has(element)) return false;
    seen.add(element);
    return true;
  });
});

const without = variadicFunction(["any"], "any", ([value, ...unwanted], { budget }) => {
  const omitted = new ValueSet(budget);
  for (const element of unwanted) omitted.add(element);
  return listElements(value, "Cannot find without on type %s", budget).filter((element) => !omitted.has(element));
});

const has = goFunction(["any", "any"], ([needle, value], { budget }) => {
  if (value === null || value === undefined) return false;
  return listElements(value, "Cannot find has on type %s", budget).some((element) =>
    deepEqual(needle, element, budget),
  );
});

/** Keeps, drops or looks for elements; equal is what `reflect.DeepEqual` says. */
export const listContents: Record<string, GoFunction> = {
  compact,
  mustCompact: compact,
  uniq,
  mustUniq: uniq,
  without,
  mustWithout: without,
  has,
  mustHas: has,
};

/** A set by deep equality. Scalars are found at once, only what has parts is compared one by one. */
class ValueSet {
  readonly #scalars = new Set<GoValue>();
  readonly #others: GoValue[] = [];

  readonly #budget: Budget;

  constructor(budget: Budget) {
    this.#budget = budget;
  }

  add(value: GoValue): void {
    const scalar = scalarKey(value);
    if (scalar === undefined) this.#others.push(value);
    else this.#scalars.add(scalar);
  }

  has(value: GoValue): boolean {
    const scalar = scalarKey(value);
    if (scalar !== undefined) return this.#scalars.has(scalar);
    return this.#others.some((other) => deepEqual(value, other, this.#budget));
  }
}

/** Something that is the same only for equal scalars; texts are marked, for that of an integer is a text too. */
function scalarKey(value: GoValue): GoValue {
  if (typeof value === "string") return `"${value}`;
  if (value instanceof Int) return `${value.kind} ${value.value}`;
  if (typeof value === "boolean" || value === null) return value;
  return typeof value === "number" && !Number.isNaN(value) ? value : undefined;
}
