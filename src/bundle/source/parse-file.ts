import { InputError, isJsonObject, type JsonObject, type JsonValue } from "#base";
import { findYamlSurprises, parseYaml } from "#yaml";
import type { Datafile, ResourceFile } from "../bundle.ts";
import { normalizeIntegration } from "./legacy-forms.ts";
import { decodeFileText, parseFileText } from "./parse-file-text.ts";

/** A file that was read. `file` is its name in messages. */
export interface FileContent {
  readonly path: string;
  readonly file: string;
  readonly bytes: Buffer;
  readonly sha256: string;
}

export function parseDatafile({ path, file, bytes, sha256 }: FileContent): Datafile {
  const text = decodeFileText(bytes, file);
  let isSurprising = false;
  const value = parseFileText(text, file, () => (isSurprising = true));
  const datafile = createDatafile(path, requireObject(value, file), sha256, file);
  return isSurprising ? { ...datafile, surprises: findYamlSurprises(text) } : datafile;
}

export function createDatafile(path: string, written: JsonObject, sha256: string, file?: string): Datafile {
  const schema = schemaPath(written["$schema"]);
  const content = normalizeIntegration(schema, written);
  return {
    path,
    schema,
    content,
    sha256,
    ...(file !== undefined && { file }),
    ...(content !== written && { written }),
  };
}

const topLevelLine = /^(["']?)([\w$-]+)\1:(?:[ \t]+(.*))?$/;

/**
 * A data file that cannot be parsed, from its lines that begin with a key: texts with their values, everything else as null, and so
 * a key that comes twice with two values, as where a merge went wrong.
 */
export function sketchDatafile({ path, file, bytes, sha256 }: FileContent): Datafile {
  const fields = new Map<string, string | null>();
  for (const line of bytes.toString("utf8").split(/\r?\n/)) {
    const [, , key, written = ""] = topLevelLine.exec(line) ?? [];
    if (key === undefined) continue;
    const value = textOf(written);
    fields.set(key, fields.has(key) && fields.get(key) !== value ? null : value);
  }
  return createDatafile(path, Object.fromEntries(fields), sha256, file);
}

function textOf(written: string): string | null {
  try {
    const value = parseYaml(written, { library: "pyyaml" });
    return typeof value === "string" ? value : null;
  } catch (error) {
    if (error instanceof InputError) return null;
    throw error;
  }
}

/** The path of a schema with a leading slash, unless it is a URL. */
export function schemaPath(schema: JsonValue | undefined): string | undefined {
  if (typeof schema !== "string") return undefined;
  return schema.startsWith("/") || schema.startsWith("http") ? schema : `/${schema}`;
}

function requireObject(value: JsonValue, where: string): JsonObject {
  if (isJsonObject(value)) return value;
  // An empty file is an error too: it is usually an accident, and what it described would be deleted.
  const got = value === null ? "an empty file" : `a ${Array.isArray(value) ? "list" : typeof value}`;
  throw new InputError(`expected an object, got ${got}`, {
    where,
    next: "start with $schema: and the fields of that schema, or delete the file",
  });
}

/** Matched as text: most resources are templates, which are not YAML until they are rendered. */
const schemaLine = /^\$schema: (?<schema>.+\.ya?ml)$/m;

export function parseResource({ path, file, bytes, sha256 }: FileContent): ResourceFile {
  const content = decodeFileText(bytes, file);
  const schema = /\.ya?ml$/.test(path) ? schemaLine.exec(content)?.groups?.["schema"] : undefined;
  return { path, content, sha256, schema, file };
}
