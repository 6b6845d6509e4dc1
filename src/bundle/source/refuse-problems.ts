import { InputError } from "#base";

/** Throws when there is a problem: the one there is, or one error that lists them all. */
export function throwUnreadable(description: string, problems: readonly InputError[]): void {
  const [first, ...others] = problems;
  if (!first) return;
  if (others.length === 0) throw first;
  throw new InputError(`${problems.length} files of ${description} cannot be read`, {
    next: "correct the files named below",
    cause: new AggregateError(problems, "each for itself:"),
  });
}
