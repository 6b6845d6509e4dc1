import { formatFieldPath, InputError, type JsonObject } from "#base";
import type { Queryable, QueryAnswer, QueryError } from "../bundle.ts";

/** A query with the types of its answer and its variables, as `tenon data query --types` generates it. */
export interface TypedQuery<Data, Variables> {
  readonly document: string;
  /** For the compiler only; never set. */
  readonly types?: { readonly data: Data; readonly variables: Variables };
}

/** The data of the answer. Throws a `QueryFailure` if there are errors, even if there is data. */
export async function runTypedQuery<Data, Variables>(
  queryable: Queryable,
  query: TypedQuery<Data, Variables>,
  variables: Variables,
  signal?: AbortSignal,
): Promise<Data> {
  const given: JsonObject = JSON.parse(JSON.stringify(variables));
  const answer = await queryable.query(query.document, given, signal);
  requireWhole(answer, query, queryable.identity);
  return answer.data;
}

/** An answer without errors has the type of its query. */
function requireWhole<Data, Variables>(
  answer: QueryAnswer,
  { document }: TypedQuery<Data, Variables>,
  identity: string,
): asserts answer is QueryAnswer & { readonly data: Data } {
  if (answer.errors === undefined && answer.data) return;
  const [, name] = /\bquery\s+(\w+)/.exec(document) ?? [];
  throw new QueryFailure(`bundle ${identity}${name === undefined ? "" : `, query ${name}`}`, answer);
}

const shown = 10;

/** An answer with errors. Its data is incomplete: acting on it would delete objects that only failed to be read. */
export class QueryFailure extends InputError {
  readonly answer: QueryAnswer;
  readonly errors: readonly QueryError[];

  constructor(source: string, answer: QueryAnswer) {
    const errors = answer.errors ?? [];
    const lines = errors.slice(0, shown).map(describeQueryError);
    const more = errors.length > shown ? [`and ${errors.length - shown} more`] : [];
    super([...lines, ...more].join("; ") || "the answer has no data", {
      where: source,
      next: answer.data === undefined ? "fix the query" : "fix the data files of these fields",
    });
    this.answer = answer;
    this.errors = errors;
  }

  override get name(): string {
    return "QueryFailure";
  }
}

/** `integrations[1].managed[0].sharding: …` for an error in the data, `line 1, column 3: …` for one in the query. */
export function describeQueryError({ message, path, locations }: QueryError): string {
  if (path !== undefined) return `${formatFieldPath(path)}: ${message}`;
  const [position] = locations ?? [];
  return position === undefined ? message : `line ${position.line}, column ${position.column} of the query: ${message}`;
}
