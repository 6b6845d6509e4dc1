import {
  type Budget,
  Bytes,
  deepEqual,
  elementsOf,
  FunctionError,
  type GoFunction,
  goFunction,
  type GoValue,
  Int,
  isTrue,
  kindName,
  Named,
  Slice,
  TypedNil,
  variadicFunction,
} from "#golang";
import { keepingPlace } from "../keeps-place.ts";
import type { Cast } from "./cast.ts";

const nilList = new TypedNil("[]interface {}");

/** The elements of a list, charged to the budget if they are copied; for anything else Go's error, or its panic for nil. */
function listElements(value: GoValue, complaint: string, budget?: Budget): readonly GoValue[] {
  const elements = elementsOf(value);
  if (elements) {
    budget?.makeList(elements.length);
    return elements;
  }
  if (value === null || value === undefined)
    throw new FunctionError("runtime error: invalid memory address or nil pointer dereference");
  throw new FunctionError(complaint.replace("%s", kindName(value)));
}

const list = variadicFunction([], "any", (values) => values);

const push = goFunction(["any", "any"], ([elements, value], { budget }) => [
  ...listElements(elements, "Cannot push on type %s", budget),
  value,
]);

const prepend = goFunction(["any", "any"], ([elements, value], { budget }) => [
  value,
  ...listElements(elements, "Cannot prepend on type %s", budget),
]);

const first = goFunction(["any"], ([value]) => {
  return listElements(value, "Cannot find first on type %s")[0] ?? null;
});

const last = goFunction(["any"], ([value]) => {
  return listElements(value, "Cannot find last on type %s").at(-1) ?? null;
});

const rest = goFunction(["any"], ([value], { budget }) => {
  const elements = listElements(value, "Cannot find rest on type %s", budget);
  return elements.length === 0 ? nilList : elements.slice(1);
});

const initial = goFunction(["any"], ([value], { budget }) => {
  const elements = listElements(value, "Cannot find initial on type %s", budget);
  return elements.length === 0 ? nilList : elements.slice(0, -1);
});

const reverse = goFunction(["any"], ([value], { budget }) => {
  return listElements(value, "Cannot find reverse on type %s", budget).toReversed();
});

const chunk = goFunction(["int", "any"], ([size, value], { budget }) => {
  const elements = listElements(value, "Cannot chunk type %s", budget);
  return new Slice("[]interface {}", chunks(elements, Number(size)));
});

/** Builds and splits lists. The `must` variants do the same, because a panic and an error look alike in a template. */
export const lists: Record<string, GoFunction> = {
  list: keepingPlace(list),
  tuple: keepingPlace(list),
  append: keepingPlace(push),
  mustAppend: push,
  push,
  mustPush: push,
  prepend,
  mustPrepend: prepend,
  first: keepingPlace(first),
  mustFirst: first,
  last: keepingPlace(last),
  mustLast: last,
  rest,
  mustRest: rest,
  initial,
  mustInitial: initial,
  reverse,
  mustReverse: reverse,
  chunk,
  mustChunk: chunk,
  concat: keepingPlace(
    variadicFunction([], "any", (values, { budget }) => {
      const given = values.map((value) => listElements(value, "Cannot concat type %s as list", budget));
      const elements = new Array<GoValue>().concat(...given);
      return elements.length === 0 ? nilList : elements;
    }),
  ),
};

/** Go computes the number of chunks in floats; sizes below 1 mostly end in a panic. */
function chunks(elements: readonly GoValue[], size: number): GoValue[][] {
  const count = Math.floor((elements.length - 1) / size) + 1;
  if (!(count >= 0 && Number.isFinite(count))) throw lengthOutOfRange();
  return Array.from({ length: count }, (_, index) => {
    const length = index === count - 1 ? elements.length % size || size : size;
    if (length < 0) throw lengthOutOfRange();
    return elements.slice(index * size, index * size + length);
  });
}

function lengthOutOfRange(): FunctionError {
  return new FunctionError("runtime error: makeslice: len out of range");
}

/** `slice` reads its bounds like any number. */
export function slicing({ toInt64 }: Cast): Record<string, GoFunction> {
  const slice = variadicFunction(["any"], "any", ([value, ...bounds]) => {
    const { length } = listElements(value, "list should be type of slice or array but %s");
    if (length === 0) return null;
    const start = bounds.length > 0 ? toInt64(bounds[0]) : 0n;
    const end = bounds.length > 1 ? toInt64(bounds[1]) : BigInt(length);
    if (start < 0n || end < start || end > length)
      throw new FunctionError("reflect.Value.Slice: slice index out of bounds");
    return sliceOf(value, Number(start), Number(end));
  });
  return { slice, mustSlice: slice };
}

/** The part keeps the type of the whole. */
function sliceOf(value: GoValue, start: number, end: number): GoValue {
  if (value instanceof Slice) return new Slice(value.element, value.items.slice(start, end));
  if (value instanceof Bytes) return new Bytes(value.bytes.subarray(start, end));
  if (value instanceof Named) return new Named(value.type, sliceOf(value.underlying, start, end), value.methods);
  return Array.isArray(value) ? value.slice(start, end) : null;
}

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

/** Keeps, drops or finds elements, compared by `reflect.DeepEqual`. */
export const listContents: Record<string, GoFunction> = {
  compact,
  mustCompact: compact,
  uniq,
  mustUniq: uniq,
  without,
  mustWithout: without,
  has: keepingPlace(has),
  mustHas: has,
};

/** A set by deep equality. Scalars are hashed; other values are compared one by one. */
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

/** A key that is the same for equal scalars only; texts get a prefix, because the key of an integer is a text, too. */
function scalarKey(value: GoValue): GoValue {
  if (typeof value === "string") return `"${value}`;
  if (value instanceof Int) return `${value.kind} ${value.value}`;
  if (typeof value === "boolean" || value === null) return value;
  return typeof value === "number" && !Number.isNaN(value) ? value : undefined;
}
