import { hash } from "node:crypto";
import type { JsonObject, JsonValue } from "#base";
import type { Bundle, Datafile, ResourceFile } from "./bundle.ts";
import { builtInDescription, builtInSchemas } from "./schema/built-in.ts";
import { createDatafile } from "./source/parse-file.ts";
import { parseTypeDescriptions } from "./type-description.ts";

export interface SampleBundleParts {
  readonly data?: Readonly<Record<string, JsonObject>>;
  readonly resources?: Readonly<Record<string, string>>;
  /** In addition to the built-in ones. */
  readonly schemas?: Readonly<Record<string, JsonValue>>;
  readonly types?: readonly JsonValue[];
}

/** A bundle for tests, with the built-in schemas and types. */
export function sampleBundle({ data = {}, resources = {}, schemas = {}, types = [] }: SampleBundleParts): Bundle {
  return {
    identity: "sample",
    datafiles: new Map(
      Object.entries(data).map(([path, content]) => [
        path,
        createDatafile(path, content, hash("sha256", JSON.stringify(content))),
      ]),
    ),
    resources: new Map(
      Object.entries(resources).map(([path, content]) => [
        path,
        { path, content, sha256: hash("sha256", content), schema: /^\$schema: (.+)$/m.exec(content)?.[1] },
      ]),
    ),
    schemas: new Map<string, JsonValue>([...builtInSchemas, ...Object.entries(schemas)]),
    types: parseTypeDescriptions(types, "sample", builtInDescription),
  };
}

export interface BareBundleParts {
  readonly identity?: string;
  /** Contents of data files by path; `$schema` among them. */
  readonly data?: Readonly<Record<string, JsonObject>>;
  readonly resources?: Readonly<Record<string, { readonly content: string; readonly schema?: string }>>;
  readonly schemas?: Readonly<Record<string, JsonValue>>;
  readonly types: JsonValue;
}

/** A bundle for tests, with the given types only. */
export function bareBundle({
  identity = "bare",
  data = {},
  resources = {},
  schemas = {},
  types,
}: BareBundleParts): Bundle {
  const datafiles = Object.entries(data).map(([path, content]): Datafile => {
    const schema = content["$schema"];
    return { path, schema: typeof schema === "string" ? schema : undefined, content, sha256: `sha256 of ${path}` };
  });
  const files = Object.entries(resources).map(
    ([path, { content, schema }]): ResourceFile => ({ path, content, schema, sha256: `sha256 of ${path}` }),
  );
  return {
    identity,
    datafiles: new Map(datafiles.map((file) => [file.path, file])),
    resources: new Map(files.map((file) => [file.path, file])),
    schemas: new Map(Object.entries(schemas)),
    types: parseTypeDescriptions(types, "bare bundle"),
  };
}
