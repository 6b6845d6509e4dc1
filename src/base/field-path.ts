import { InputError } from "./errors.ts";

/** Where a value is within an object: a string for each key, a number for each list index. */
export type FieldPath = readonly (string | number)[];

const plainKey = /^[A-Za-z_$][\w$-]*$/;

/** As Kubernetes users write it: `spec.containers[0].image`, `metadata.annotations["a.b/c"]`. */
export function formatFieldPath(path: FieldPath): string {
  const steps = path.map((step) => {
    if (typeof step === "number") return `[${step}]`;
    return plainKey.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`;
  });
  return steps.join("").replace(/^\./, "");
}

const stepAhead =
  /^(?:\.(?<key>[A-Za-z_$][\w$-]*)|\[(?<index>0|[1-9]\d{0,14})\]|\[(?<json>"(?:[^"\\]|\\.)*")\]|\['(?<quoted>[^']*)'\])/;

/** The inverse of `formatFieldPath`. Keys may be in single quotes too, as in the downward API. */
export function parseFieldPath(text: string): FieldPath {
  const path: (string | number)[] = [];
  let rest = text === "" || text.startsWith("[") ? text : `.${text}`;
  while (rest !== "") {
    const match = stepAhead.exec(rest);
    const step = match?.groups && readStep(match.groups);
    if (match === null || step === undefined) throw syntaxError(text, rest);
    path.push(step);
    rest = rest.slice(match[0].length);
  }
  return path;
}

function readStep({ key, index, json, quoted }: Record<string, string | undefined>): string | number | undefined {
  if (index !== undefined) return Number(index);
  return json === undefined ? (key ?? quoted) : readJsonString(json);
}

function readJsonString(json: string): string | undefined {
  try {
    return String(JSON.parse(json));
  } catch {
    return undefined;
  }
}

function syntaxError(text: string, rest: string): InputError {
  const [opening] = rest;
  const column = text.length - rest.length + (opening === "." || opening === "[" ? 2 : 1);
  return new InputError(`expected ${expectedAfter(opening)}`, {
    where: `field path ${JSON.stringify(text)}, column ${column}`,
    next: `write it like spec.containers[0].image or metadata.annotations["a.b/c"]`,
  });
}

function expectedAfter(opening: string | undefined): string {
  if (opening === ".") return "a field name";
  return opening === "[" ? "a number or a quoted key, then ]" : "a dot or [";
}

/** The value at the path, else undefined. Ignores inherited properties, because a path may come from a user. */
export function valueAt(object: unknown, path: FieldPath): unknown {
  let value = object;
  for (const step of path) {
    if (!holds(value, step)) return undefined;
    value = value[step];
  }
  return value;
}

function holds(value: unknown, step: string | number): value is Record<string | number, unknown> {
  if (typeof value !== "object" || value === null) return false;
  return Array.isArray(value) === (typeof step === "number") && Object.hasOwn(value, step);
}
