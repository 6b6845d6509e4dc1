import type { Side } from "../kinds/index.ts";

/** Kept beside the errors, because callers tell them apart by their classes. */
const failedSides = new WeakMap<Error, Side>();

/** For the `catch` of what is done for one side. */
export function atSide(side: Side): (error: unknown) => never {
  return (error) => {
    if (error instanceof Error && !failedSides.has(error)) failedSides.set(error, side);
    throw error;
  };
}

/** The same for what is done at once. */
export function doneFor<Value>(side: Side, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    return atSide(side)(error);
  }
}

/** The side whose values could not be read or computed; undefined if it is not known. */
export function failedSide(error: unknown): Side | undefined {
  return error instanceof Error ? failedSides.get(error) : undefined;
}
