import { hash } from "node:crypto";
import type { JsonObject, JsonValue } from "#base";
import type { Bundle } from "./bundle.ts";
import { builtInDescription, builtInSchemas } from "./schema/built-in.ts";
import { createDatafile } from "./source/parse-file.ts";
import { parseTypeDescriptions } from "./type-description.ts";

export interface SampleBundleParts {
  readonly data?: Readonly<Record<string, JsonObject>>;
  readonly resources?: Readonly<Record<string, string>>;
  /** Beside those that are built in. */
  readonly schemas?: Readonly<Record<string, JsonValue>>;
  readonly types?: readonly JsonValue[];
}

/** A bundle for a test, from what it is about. */
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
