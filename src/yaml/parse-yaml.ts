import { isUtf8 } from "node:buffer";
import { InputError, type JsonValue } from "#base";
import { explainYamlProblem } from "./explain-yaml-problem.ts";
import type { YamlLibrary } from "./node-builder.ts";
import { readYamlDocuments } from "./read-yaml.ts";
import { exactScalar, plainScalar, type Scalar } from "./resolve-scalar.ts";
import { textPositionOf } from "./text-position.ts";
import { YamlProblem } from "./yaml-problem.ts";
import { surpriseNoticer } from "./yaml-surprise.ts";
import type { YamlValue } from "./yaml-value.ts";

export interface YamlOptions {
  /** For messages. */
  readonly file?: string;
  /** Whose reading counts: that of kubectl and Helm (goyaml, the default), or that of qontract's tools (pyyaml). */
  readonly library?: YamlLibrary;
  /** For pyyaml: called if `findYamlSurprises` would find something. */
  readonly onSurprise?: () => void;
  /** What to do about a key that comes twice in a map: kubectl refuses, Helm takes the last, as PyYAML always does. Default: refuse. */
  readonly duplicateKeys?: "refuse" | "last-wins";
  /** Documents behind this many are ignored, even if they are not valid: Helm reads one. */
  readonly limit?: number;
}

/** JSON with the numbers that JavaScript cannot tell apart: a bigint is an integer beyond 2^53, a `WholeFloat` a float like `1.0`. */
export type ExactJsonValue = YamlValue<Scalar>;

export interface YamlDocument<Value> {
  readonly value: Value;
  /** Where it begins, counted from 1. */
  readonly line: number;
}

/**
 * Reads a text that holds one document, as kubectl and Helm would: YAML 1.1 by goyaml.v2, then through JSON.
 * So `yes` is true, `012` is ten, `1:30` and dates are strings, every key is a string, and integers beyond 2^53 are rounded.
 * With `library: "pyyaml"`, `y` and `1e3` are strings, `1:30` is ninety, and a date is its text.
 * A text without content is null. Throws an InputError with line, column and the line itself;
 * also for a second document, which Helm would ignore.
 */
export function parseYaml(text: string | Uint8Array, options: YamlOptions = {}): JsonValue {
  const [first, second] = parseYamlDocuments(text, options);
  if (second) {
    throw new InputError("expected one YAML document, got a second one", {
      where: options.file === undefined ? `line ${second.line}` : `${options.file}:${second.line}`,
      next: "put it into a file of its own",
    });
  }
  return first?.value ?? null;
}

/** Reads all documents of a text. Those without content are left out, as kubectl does. */
export function parseYamlDocuments(
  text: string | Uint8Array,
  options: YamlOptions = {},
): readonly YamlDocument<JsonValue>[] {
  return parseDocuments(text, options, plainScalar);
}

/** As `parseYamlDocuments`, but `1` and `1.0` differ, and integers keep all their digits. */
export function parseExactYamlDocuments(
  text: string | Uint8Array,
  options: YamlOptions = {},
): readonly YamlDocument<ExactJsonValue>[] {
  return parseDocuments(text, options, exactScalar);
}

function parseDocuments<Leaf extends Scalar>(
  source: string | Uint8Array,
  { file, library = "goyaml", duplicateKeys, limit = Infinity, onSurprise }: YamlOptions,
  leaf: (scalar: Scalar) => Leaf,
): YamlDocument<YamlValue<Leaf>>[] {
  const text = typeof source === "string" ? source : decodeText(source, file);
  try {
    return readYamlDocuments(text, {
      library,
      leaf,
      refusesDuplicates: duplicateKeys !== "last-wins",
      limit,
      ...(onSurprise && { resolvePlain: surpriseNoticer(onSurprise), onDuplicate: onSurprise }),
    })
      .filter(({ value }) => value !== null || library === "pyyaml")
      .map(({ value, line }) => ({ value, line: line + 1 }));
  } catch (error) {
    throw error instanceof YamlProblem ? explainYamlProblem(error, text, file) : error;
  }
}

/** The text of a file: UTF-8, or UTF-16 if it begins with that byte order mark. */
function decodeText(bytes: Uint8Array, file: string | undefined): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  const text = new TextDecoder("utf-8").decode(bytes);
  if (isUtf8(bytes)) return text;
  const { line, column } = textPositionOf(text, firstReplacement(text, bytes));
  throw new InputError("not valid UTF-8", {
    where: file === undefined ? `line ${line}, column ${column}` : `${file}:${line}:${column}`,
    next: "save the file as UTF-8",
  });
}

/** The decoder puts U+FFFD for what it cannot read; the text itself may contain some before that. */
function firstReplacement(text: string, bytes: Uint8Array): number {
  let at = text.indexOf("\ufffd");
  while (at >= 0) {
    const offset = Buffer.byteLength(text.slice(0, at));
    const isOriginal = bytes[offset] === 0xef && bytes[offset + 1] === 0xbf && bytes[offset + 2] === 0xbd;
    if (!isOriginal) return at;
    at = text.indexOf("\ufffd", at + 1);
  }
  return 0;
}
