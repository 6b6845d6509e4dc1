import type { JsonObject, JsonValue } from "#base";
import type { Bundle, Datafile, ResourceFile } from "./bundle.ts";
import { parseTypeDescriptions } from "./type-description.ts";

export interface BareBundleParts {
  readonly identity?: string;
  /** Contents of data files by path; `$schema` among them. */
  readonly data?: Readonly<Record<string, JsonObject>>;
  readonly resources?: Readonly<Record<string, { readonly content: string; readonly schema?: string }>>;
  readonly schemas?: Readonly<Record<string, JsonValue>>;
  readonly types: JsonValue;
}

/** A bundle for tests, from what matters to them. */
export function bareBundle({
  identity = "toy",
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
    types: parseTypeDescriptions(types, "toy bundle"),
  };
}
