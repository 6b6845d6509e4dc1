import { formatFieldPath, InputError } from "#base";
import type { QueryAnswer, QueryError } from "../bundle.ts";

const shown = 10;

/** An answer with errors. Its data has holes where the errors are: acting on it would delete what only failed to be read. */
export class QueryFailure extends InputError {
  readonly answer: QueryAnswer;
  readonly errors: readonly QueryError[];

  constructor(source: string, answer: QueryAnswer) {
    const errors = answer.errors ?? [];
    const lines = errors.slice(0, shown).map(describeQueryError);
    const more = errors.length > shown ? [`and ${errors.length - shown} more`] : [];
    super([...lines, ...more].join("; ") || "the answer has no data", {
      where: source,
      next: answer.data === undefined ? "correct the query" : "correct the data files these places are read from",
    });
    this.answer = answer;
    this.errors = errors;
  }

  override get name(): string {
    return "QueryFailure";
  }
}

/** `integrations[1].managed[0].sharding: …` for an error of the data, `line 1, column 3: …` for one of the query. */
export function describeQueryError({ message, path, locations }: QueryError): string {
  if (path !== undefined) return `${formatFieldPath(path)}: ${message}`;
  const [place] = locations ?? [];
  return place === undefined ? message : `line ${place.line}, column ${place.column} of the query: ${message}`;
}
