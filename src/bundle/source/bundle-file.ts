import { hash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { InputError, isJsonList, isJsonObject, type JsonValue, systemClock } from "#base";
import type { Bundle, BundleSource, Datafile, ResourceFile } from "../bundle.ts";
import { builtInDescription, builtInSchemas } from "../schema/built-in.ts";
import { parseTypeDescriptions } from "../type-description.ts";
import { debounceChanges } from "./debounce-changes.ts";
import { createDatafile } from "./parse-file.ts";
import { decodeFileText, parseJsonText } from "./parse-file-text.ts";
import { watchFile } from "./watch-directory.ts";

/** Keys that a bundler adds to data files, their lists and schemas. */
const derivedKeys = new Set(["$file_sha256sum", "__identifier"]);

/** A bundle file, written by qontract's bundler or `tenon data bundle`. */
export function bundleFileSource(file: string): BundleSource {
  let last: Bundle | undefined;
  async function read(signal: AbortSignal): Promise<Bundle> {
    const content = await readFile(file, { signal }).catch((cause: unknown) => {
      if (signal.aborted || !(cause instanceof Error)) throw cause;
      throw new InputError("cannot read the file", { where: file, next: "check the path", cause });
    });
    const identity = hash("sha256", content);
    if (last?.identity !== identity) last = readBundle(content, file, identity);
    return last;
  }
  return {
    description: `the bundle file ${file}`,
    load: async (signal) => withTypes(await read(signal)),
    read: async (signal) => {
      const bundle = await read(signal);
      const { error } = bundle.description ?? {};
      return { bundle, problems: error ? [error] : [], find: () => undefined };
    },
    changes: (signal) =>
      debounceChanges([(notify, stopping) => watchFile(file, notify, stopping)], systemClock, signal),
  };
}

/** Parses the content of a bundle file. Its identity is the hash of its bytes, whitespace included. */
export function parseBundle(content: Buffer, where: string, identity = hash("sha256", content)): Bundle {
  return withTypes(readBundle(content, where, identity));
}

function withTypes(bundle: Bundle): Bundle {
  if (bundle.description?.error) throw bundle.description.error;
  return bundle;
}

/** As `parseBundle`, but with the built-in types if the GraphQL description cannot be used. */
function readBundle(content: Buffer, where: string, identity: string): Bundle {
  const value = parseJsonText(decodeFileText(content, where), where);
  const data = isJsonObject(value) ? value["data"] : undefined;
  if (!isJsonObject(value) || !isJsonObject(data)) {
    throw new InputError('not a bundle file: expected an object "data"', {
      where,
      next: 'create one with "tenon data bundle"',
    });
  }
  const { resources = {}, schemas, graphql, git_commit: commit, git_commit_timestamp: timestamp } = value;
  return {
    identity,
    datafiles: new Map(Object.entries(data).map(([path, file]) => [path, readDatafile(path, file, where)])),
    resources: new Map(
      Object.entries(isJsonObject(resources) ? resources : {}).map(([path, file]) => [
        path,
        readResource(path, file, where),
      ]),
    ),
    schemas: isJsonObject(schemas)
      ? new Map(Object.entries(schemas).map(([path, schema]) => [path, withoutDerived(schema)]))
      : builtInSchemas,
    ...(graphql === undefined || graphql === null
      ? { types: builtInDescription }
      : readDescription(graphql, `${where}: graphql`)),
    ...(typeof commit === "string" && commit !== "" && { gitCommit: commit }),
    ...(typeof timestamp === "string" && timestamp !== "" && { gitCommitTimestamp: timestamp }),
  };
}

function readDescription(value: JsonValue, where: string): Pick<Bundle, "types" | "description"> {
  try {
    return { types: parseTypeDescriptions(value, where), description: { value } };
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return { types: builtInDescription, description: { value, error } };
  }
}

function readDatafile(path: string, file: JsonValue, where: string): Datafile {
  if (!isJsonObject(file)) throw invalidBundle(`expected data[${JSON.stringify(path)}] to be an object`, where);
  const sha256 = file["$file_sha256sum"];
  const content = withoutDerived(file);
  return createDatafile(path, content, typeof sha256 === "string" ? sha256 : hash("sha256", JSON.stringify(content)));
}

function readResource(path: string, file: JsonValue, where: string): ResourceFile {
  const { content, sha256sum, $schema } = isJsonObject(file) ? file : {};
  if (typeof content !== "string")
    throw invalidBundle(`expected resources[${JSON.stringify(path)}].content to be a string`, where);
  return {
    path,
    content,
    sha256: typeof sha256sum === "string" ? sha256sum : hash("sha256", content),
    schema: typeof $schema === "string" ? $schema : undefined,
  };
}

function invalidBundle(what: string, where: string): InputError {
  return new InputError(what, { where, next: 'create the bundle again, for example with "tenon data bundle"' });
}

/** The same object if there is nothing to remove. */
function withoutDerived<Value extends JsonValue>(value: Value): Value;
function withoutDerived(value: JsonValue): JsonValue {
  if (isJsonList(value)) {
    const items = value.map((item) => withoutDerived(item));
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value);
  const kept = entries
    .filter(([key]) => !derivedKeys.has(key))
    .map(([key, part]) => [key, withoutDerived(part)] as const);
  const isSame = kept.length === entries.length && kept.every(([key, part]) => part === value[key]);
  return isSame ? value : Object.fromEntries(kept);
}
