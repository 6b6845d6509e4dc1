import type { JsonObject } from "#base";
import type { Queryable, QueryAnswer } from "../bundle.ts";
import { QueryFailure } from "./query-failure.ts";

/** A query that knows the types of its answer and of its variables, as `tenon data query --types` writes it. */
export interface TypedQuery<Data, Variables> {
  readonly document: string;
  /** For the compiler only; never there. */
  readonly types?: { readonly data: Data; readonly variables: Variables };
}

/** The data of the answer. Throws a `QueryFailure` if there was any error, even if there was data. */
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

/** Without an error, an answer is what its query asked for. */
function requireWhole<Data, Variables>(
  answer: QueryAnswer,
  { document }: TypedQuery<Data, Variables>,
  identity: string,
): asserts answer is QueryAnswer & { readonly data: Data } {
  if (answer.errors === undefined && answer.data) return;
  const [, name] = /\bquery\s+(\w+)/.exec(document) ?? [];
  throw new QueryFailure(`bundle ${identity}${name === undefined ? "" : `, query ${name}`}`, answer);
}
