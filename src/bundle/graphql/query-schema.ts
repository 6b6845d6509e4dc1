import { createHash } from "node:crypto";
import { GraphQLError } from "graphql/error";
import { type DocumentNode, parse } from "graphql/language";
import type { GraphQLSchema } from "graphql/type";
import { validate } from "graphql/validation";
import { LeastRecentlyUsed } from "#base";
import type { TypeDescription } from "../type-description.ts";
import { buildSchema } from "./build-schema.ts";
import { mayHoldEmptyObjects } from "./prune-empty-objects.ts";

/** A parsed and valid query, which can be executed on every bundle with this schema. */
export interface CompiledQuery {
  readonly document: DocumentNode;
  readonly mayHoldEmptyObjects: boolean;
}

/** The errors of an invalid query. */
export interface InvalidQuery {
  readonly errors: readonly GraphQLError[];
}

const cachedQueries = 250;
/** Longer queries are not cached, so that clients cannot fill the memory with queries that they send once. */
const longestCachedQuery = 100_000;
const mostTokens = 50_000;

/** A GraphQL schema with a cache of compiled queries. */
export class QuerySchema {
  readonly schema: GraphQLSchema;
  readonly #queries = new LeastRecentlyUsed<string, CompiledQuery | InvalidQuery>(cachedQueries);

  constructor(types: readonly TypeDescription[]) {
    this.schema = buildSchema(types);
  }

  compile(text: string): CompiledQuery | InvalidQuery {
    if (text.length > longestCachedQuery) return compileQuery(text, this.schema);
    return this.#queries.get(text, () => compileQuery(text, this.schema));
  }
}

function compileQuery(text: string, schema: GraphQLSchema): CompiledQuery | InvalidQuery {
  try {
    const document = parse(text, { maxTokens: mostTokens });
    const errors = validate(schema, document);
    if (errors.length > 0) return { errors: errors.map((error) => withCode(error, "GRAPHQL_VALIDATION_FAILED")) };
    return { document, mayHoldEmptyObjects: mayHoldEmptyObjects(document, schema) };
  } catch (error) {
    if (error instanceof GraphQLError) return { errors: [withCode(error, "GRAPHQL_PARSE_FAILED")] };
    // The parser and the validation rules are recursive.
    if (error instanceof RangeError) return { errors: [new GraphQLError("the query is nested too deeply")] };
    throw error;
  }
}

/** The error codes of Apollo Server, which qontract-server uses. */
function withCode(error: GraphQLError, code: string): GraphQLError {
  return new GraphQLError(error.message, {
    nodes: error.nodes,
    source: error.source,
    positions: error.positions,
    extensions: { ...error.extensions, code },
  });
}

const byIdentity = new WeakMap<readonly TypeDescription[], QuerySchema>();
const byContent = new Map<string, WeakRef<QuerySchema>>();

/** The schema of a description, shared while it is in use: a reload seldom changes the types. */
export function shareSchema(types: readonly TypeDescription[]): QuerySchema {
  const known = byIdentity.get(types);
  if (known !== undefined) return known;
  const content = createHash("sha256").update(JSON.stringify(types)).digest("hex");
  const schema = byContent.get(content)?.deref() ?? new QuerySchema(types);
  for (const [key, reference] of byContent) {
    if (reference.deref() === undefined) byContent.delete(key);
  }
  byContent.set(content, new WeakRef(schema));
  byIdentity.set(types, schema);
  return schema;
}
