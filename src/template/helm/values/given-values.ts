import { type FieldPath, InputError } from "#base";
import { locateInYaml } from "#yaml";
import { type GoObject, type GoValue, isGoObject, newMap } from "#golang";
import { readValueTable } from "./value-table.ts";
import { applySetLine, type SetMode } from "./set-line.ts";

/** The sources of a user's values; later ones in this list win, as in Helm, whatever the order of the flags. */
export interface ValueSources {
  /** Values files. */
  readonly files?: readonly { readonly name: string; readonly text: string }[];
  /** `a.b={"c": [1]}` */
  readonly setJson?: readonly string[];
  /** `a.b=c,d[0]=1` */
  readonly set?: readonly string[];
  /** As `set`, and all values are text. */
  readonly setString?: readonly string[];
  /** As `set`, and the values are paths of files. */
  readonly setFile?: readonly string[];
  /** `a.b=whatever follows` */
  readonly setLiteral?: readonly string[];
}

/** The values that a user gave, and the source of each. */
export interface GivenValues {
  readonly values: GoObject;
  /** The file and line, or the option, that sets the value at `path`; `undefined` if none does. */
  readonly whereIs: (path: FieldPath) => string | undefined;
}

/** Merges values as `helm template` does. `readFile` reads the files that `setFile` names. */
export function mergeValueSources(sources: ValueSources, readFile: (path: string) => string = refuseFile): GivenValues {
  const files = (sources.files ?? []).map(({ name, text }) => ({ name, text, table: readValueTable(text, name) }));
  const values = files.reduce((merged, { table }) => merge(merged, table), newMap());
  const lines: { readonly option: string; readonly line: string; readonly mode: SetMode }[] = [
    ...listed("--set-json", sources.setJson, "json"),
    ...listed("--set", sources.set, "typed"),
    ...listed("--set-string", sources.setString, "string"),
    ...listed("--set-file", sources.setFile, readFile),
    ...listed("--set-literal", sources.setLiteral, "literal"),
  ];
  for (const { option, line, mode } of lines) apply(option, line, values, mode);
  return {
    values,
    whereIs: (path) => {
      const set = lines.findLast(({ line, mode }) => sets(line, mode, path));
      if (set) return `${set.option} ${set.line}`;
      const file = files.findLast(({ table }) => holds(table, path));
      const place = file && locateInYaml(file.text, path);
      return file && (place ? `${file.name}:${place.line}:${place.column}` : file.name);
    },
  };
}

function listed(option: string, lines: readonly string[] = [], mode: SetMode) {
  return lines.map((line) => ({ option, line, mode }));
}

function apply(option: string, line: string, values: GoObject, mode: SetMode): void {
  try {
    applySetLine(line, values, mode);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    throw new InputError(error.what, {
      where: `${option} ${line}`,
      ...(error.next && { next: error.next }),
      cause: error.cause,
    });
  }
}

/** Maps are merged; everything else is replaced. */
function merge(below: GoObject, above: GoObject): GoObject {
  const merged = newMap(Object.entries(below));
  for (const [key, value] of Object.entries(above)) {
    const existing = merged[key];
    merged[key] = isGoObject(value) && isGoObject(existing) ? merge(existing, value) : value;
  }
  return merged;
}

/** Whether a line sets `path` by itself. A line that adds to a list of another source may need that list. */
function sets(line: string, mode: SetMode, path: FieldPath): boolean {
  const alone = newMap();
  applySetLine(line, alone, typeof mode === "function" ? "string" : mode);
  return holds(alone, path);
}

function holds(table: GoObject, path: FieldPath): boolean {
  let value: GoValue = table;
  for (const step of path) {
    if (typeof step === "number" && Array.isArray(value) && step < value.length) value = value[step];
    else if (typeof step === "string" && isGoObject(value) && Object.hasOwn(value, step)) value = value[step];
    else return false;
  }
  return true;
}

function refuseFile(path: string): string {
  throw new InputError("--set-file is not supported here", { where: path });
}
