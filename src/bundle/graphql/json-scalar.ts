import { InputError, type JsonValue } from "#base";

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
