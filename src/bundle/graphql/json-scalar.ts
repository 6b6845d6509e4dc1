import { GraphQLScalarType } from "graphql/type";
import { InputError, type JsonValue } from "#base";

/** On the wire a value of this type is a string that holds JSON: clients of qontract-server expect it. */
export const jsonScalar = new GraphQLScalarType<unknown, string>({
  name: "JSON",
  description: "Any value, as a string that holds JSON.",
  coerceOutputValue: (value) => JSON.stringify(value),
});

/** What a field of the scalar `JSON` holds; undefined for null and for an empty text. */
export function readJsonScalar(text: string | null | undefined): JsonValue | undefined {
  if (text === null || text === undefined || text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new InputError("the answer of the server has a JSON field that holds no JSON", {
      next: "see whether the server at this address is a qontract-server or `tenon data serve`",
      cause,
    });
  }
}
