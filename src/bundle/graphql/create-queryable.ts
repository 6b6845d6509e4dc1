import { GraphQLError } from "graphql/error";
import { executeSync } from "graphql/execution";
import type { JsonObject, Logger } from "#base";
import type { Bundle, Queryable, QueryAnswer, QueryError } from "../bundle.ts";
import { BundleIndex } from "../references/bundle-index.ts";
import { pruneEmptyObjects } from "./prune-empty-objects.ts";
import { QueryContext } from "./query-context.ts";
import { type QuerySchema, shareSchema } from "./query-schema.ts";

export interface QueryRequest {
  readonly query: string;
  readonly variables?: JsonObject | undefined;
  /** Which operation of the document; required if it has several. */
  readonly operationName?: string | undefined;
}

/** A bundle that answers queries, synchronously and from its own data only. */
export interface QueryableBundle extends Queryable {
  readonly bundle: Bundle;
  /** An answer without `data` means that the request was invalid and not executed. */
  answer(request: QueryRequest): QueryAnswer;
}

export interface QueryableOptions {
  /** Logs references to data files that do not exist. */
  readonly log?: Logger;
  /** A query for more objects fails. */
  readonly mostObjects?: number;
}

/** Prepares a bundle for queries. Throws if its GraphQL description is not valid. */
export function createQueryable(
  bundle: Bundle,
  { log, mostObjects = 2_000_000 }: QueryableOptions = {},
): QueryableBundle {
  const schema = shareSchema(bundle.types);
  const index = new BundleIndex(bundle, log);
  const answer = (request: QueryRequest): QueryAnswer =>
    answerQuery(schema, request, new QueryContext(index, mostObjects));
  return {
    bundle,
    identity: bundle.identity,
    ...(bundle.gitCommit === undefined ? {} : { gitCommit: bundle.gitCommit }),
    ...(bundle.gitCommitTimestamp === undefined ? {} : { gitCommitTimestamp: bundle.gitCommitTimestamp }),
    answer,
    async query(query, variables, signal) {
      signal?.throwIfAborted();
      return answer({ query, variables });
    },
  };
}

function answerQuery(
  querySchema: QuerySchema,
  { query, variables, operationName }: QueryRequest,
  context: QueryContext,
): QueryAnswer {
  const compiled = querySchema.compile(query);
  if ("errors" in compiled) return complete(undefined, compiled.errors, context);
  const { data, errors } = executeSync({
    schema: querySchema.schema,
    document: compiled.document,
    contextValue: context,
    variableValues: variables,
    operationName,
  });
  if (context.isTooLarge) return complete(null, [tooLarge], context);
  if (compiled.mayHoldEmptyObjects) pruneEmptyObjects(data);
  return complete(isJson(data) ? data : null, errors, context);
}

/** All scalars of a description's schema are JSON. */
function isJson(data: unknown): data is JsonObject | null | undefined {
  return data === undefined || typeof data === "object";
}

const tooLarge = new GraphQLError("the answer has too many objects; split the query", {
  extensions: { code: "ANSWER_TOO_LARGE" },
});

function complete(
  data: JsonObject | null | undefined,
  errors: readonly GraphQLError[] | undefined,
  { schemas }: QueryContext,
): QueryAnswer {
  return {
    ...(errors === undefined ? {} : { errors: errors.map(toQueryError) }),
    ...(data === undefined ? {} : { data }),
    extensions: { schemas },
  };
}

function toQueryError(error: GraphQLError): QueryError {
  return JSON.parse(JSON.stringify(error));
}
