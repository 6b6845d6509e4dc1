import { InputError, isJsonObject, type JsonValue } from "#base";
import { type GoObject, type GoValue, isGoObject, mapGet, newMap } from "#golang";
import { parseYamlDocuments, readFirstYamlDocument, YamlProblem } from "#yaml";

/** Copies maps and lists at every depth; everything else is immutable and shared. */
export function copyTable(table: GoObject): GoObject {
  const copy = newMap();
  for (const key of Object.keys(table)) copy[key] = copyValue(table[key]);
  return copy;
}

function copyValue(value: GoValue): GoValue {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(copyValue);
  return isGoObject(value) ? copyTable(value) : value;
}

/** The map at a path such as `global.image`; `undefined` if there is none. */
export function tableAt(table: GoObject, path: string): GoObject | undefined {
  let current = table;
  for (const key of path.split(".")) {
    const next = mapGet(current, key);
    if (!isGoObject(next)) return undefined;
    current = next;
  }
  return current;
}

/** The value at a path that is not a map; `undefined` if there is none. */
export function leafAt(table: GoObject, path: string): GoValue {
  const end = path.lastIndexOf(".");
  const parent = end < 0 ? table : tableAt(table, path.slice(0, end));
  const value = parent && mapGet(parent, path.slice(end + 1));
  return isGoObject(value) ? undefined : value;
}

/** `data` nested in maps along a path such as `a.b`; `.` is the root. */
export function nestedAt(path: string, data: GoObject): GoObject {
  if (path === ".") return data;
  return path.split(".").reduceRight((inner, key) => newMap([[key, inner]]), data);
}

/** Reads a values file as Helm does: the first YAML document, a map or empty. Throws an InputError with file and line. */
export function readValueTable(text: string, file: string): GoObject {
  const value = readFirstDocument(text, file);
  if (value === null) return newMap();
  if (!isJsonObject(value)) {
    throw new InputError("must be a map of values", { where: file, next: "write key: value" });
  }
  return newMap(Object.entries(value));
}

function readFirstDocument(text: string, file: string): JsonValue {
  try {
    return readFirstYamlDocument(text);
  } catch (error) {
    if (!(error instanceof YamlProblem)) throw error;
    // The slower reader explains what it refuses.
    parseYamlDocuments(text, { file, duplicateKeys: "last-wins" });
    throw new InputError(error.message, { where: file, cause: error });
  }
}
