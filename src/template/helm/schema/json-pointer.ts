import { type FieldPath, isJsonList, isJsonObject, type JsonValue } from "#base";

/** A JSON pointer: empty, or `/a/b`. */
export type JsonPointer = string;

function escapeToken(token: string | number): string {
  return String(token).replaceAll("~", "~0").replaceAll("/", "~1");
}

export function appendToken(pointer: JsonPointer, ...tokens: readonly (string | number)[]): JsonPointer {
  return tokens.reduce<string>((path, token) => `${path}/${escapeToken(token)}`, pointer);
}

function tokensOf(pointer: JsonPointer): string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** The value at a pointer; `undefined` if there is none. */
export function lookUp(document: JsonValue, pointer: JsonPointer): JsonValue | undefined {
  let value: JsonValue | undefined = document;
  for (const token of tokensOf(pointer)) {
    if (isJsonList(value)) value = /^\d+$/.test(token) ? value[Number(token)] : undefined;
    else if (isJsonObject(value) && Object.hasOwn(value, token)) value = value[token];
    else return undefined;
  }
  return value;
}

/** The pointer as a path, to locate it in a file. */
export function pathOf(document: JsonValue, pointer: JsonPointer): FieldPath {
  let value: JsonValue | undefined = document;
  return tokensOf(pointer).map((token) => {
    const step = isJsonList(value) ? Number(token) : token;
    value = isJsonList(value) ? value[Number(token)] : isJsonObject(value) ? value[token] : undefined;
    return step;
  });
}
