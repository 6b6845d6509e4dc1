import { GraphQLScalarType } from "graphql/type";
import { InputError, type JsonValue } from "#base";

/** Values of this type are sent as a string of JSON, as clients of qontract-server expect. */
export const jsonScalar = new GraphQLScalarType<unknown, string>({
  name: "JSON",
  description: "Any value, as a string of JSON.",
  coerceOutputValue: (value) => JSON.stringify(value),
});

/** The value of a field of the scalar `JSON`; undefined for null and for an empty string. */
export function readJsonScalar(text: string | null | undefined): JsonValue | undefined {
  if (text === null || text === undefined || text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new InputError("the server's answer has a JSON field that is not valid JSON", {
      next: "check that the address is that of a qontract-server or `tenon data serve`",
      cause,
    });
  }
}
