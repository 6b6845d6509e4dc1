import { type CallContext, type GoFunction, goFunction, Int, Slice, variadicFunction } from "#golang";

/** Whole numbers in a row. */
export const ranges: Record<string, GoFunction> = {
  until: goFunction(["int"], ([stop], context) => integers(numbers(0n, stop, stop < 0n ? -1n : 1n, context))),
  untilStep: goFunction(["int", "int", "int"], ([start, stop, step], context) =>
    integers(numbers(start, stop, step, context)),
  ),
  seq: variadicFunction([], "int", (parameters, context) => sequence(parameters, context).join(" ")),
};

function integers(values: readonly bigint[]): Slice {
  return new Slice(
    "int",
    values.map((value) => new Int("int", value)),
  );
}

/** From `start`, and never `stop` itself; none if the step leads away from it. */
function numbers(start: bigint, stop: bigint, step: bigint, { budget }: CallContext): bigint[] {
  const leadsAway = stop < start ? step >= 0n : step <= 0n;
  if (leadsAway) return [];
  const distance = stop < start ? start - stop : stop - start;
  const pace = step < 0n ? -step : step;
  const count = (distance + pace - 1n) / pace;
  budget.makeList(count, 96);
  return Array.from({ length: Number(count) }, (_, index) => start + BigInt(index) * step);
}

/** Like the command `seq`: END, START END, or START STEP END, and END itself belongs to it. */
function sequence(parameters: readonly bigint[], context: CallContext): bigint[] {
  const [first = 0n, second = 0n, third = 0n] = parameters;
  if (parameters.length === 1) return upTo(1n, first < 1n ? -1n : 1n, first, context);
  if (parameters.length === 2) return upTo(first, second < first ? -1n : 1n, second, context);
  return parameters.length === 3 ? upTo(first, second, third, context) : [];
}

function upTo(start: bigint, step: bigint, end: bigint, context: CallContext): bigint[] {
  return numbers(start, end < start ? end - 1n : end + 1n, step, context);
}
