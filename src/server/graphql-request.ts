import { isJsonObject, type JsonObject, type JsonValue } from "#base";
import type { QueryRequest } from "#bundle";

/** Why a request is none. */
export class BadRequestError extends Error {}

/** The query of a `GET`. */
export function readSearchParams(params: URLSearchParams): QueryRequest {
  const variables = params.get("variables");
  return readRequest({
    query: params.get("query"),
    operationName: params.get("operationName"),
    variables: variables === null ? null : parseJson(variables, "variables"),
  });
}

/** The query of a `POST`. */
export function readBody(body: string): QueryRequest {
  const value = parseJson(body, "the body");
  if (!isJsonObject(value)) throw new BadRequestError("the body is no JSON object with a query");
  return readRequest(value);
}

function readRequest({ query, variables = null, operationName = null }: JsonObject): QueryRequest {
  if (typeof query !== "string" || query === "") throw new BadRequestError("there is no query");
  if (variables !== null && !isJsonObject(variables)) throw new BadRequestError("variables is no object");
  if (operationName !== null && typeof operationName !== "string")
    throw new BadRequestError("operationName is no text");
  return { query, variables: variables ?? undefined, operationName: operationName || undefined };
}

function parseJson(text: string, what: string): JsonValue {
  try {
    return JSON.parse(text);
  } catch {
    throw new BadRequestError(`${what} is no JSON`);
  }
}
