import type { FieldPath } from "#base";
import type { Bundle } from "../bundle.ts";
import { collectFacts } from "../facts/datafile-facts.ts";
import { SchemaNodes } from "../facts/schema-node.ts";
import { DescribedTypes } from "../facts/described-type.ts";

/** A field of a data file that names a resource. */
export interface ResourceBackref {
  readonly path: string;
  readonly datafileSchema: string;
  /** As the bundler of qontract writes it: `openshiftResources.[0].path`. */
  readonly jsonpath: string;
}

/** The fields that name each resource, by the resource's path. The schemas of the data files define which fields do. */
export function findResourceBackrefs(bundle: Bundle): ReadonlyMap<string, readonly ResourceBackref[]> {
  const found = new Map<string, ResourceBackref[]>();
  const schemas = new SchemaNodes(bundle.schemas);
  const types = new DescribedTypes(bundle.types);
  for (const { path, schema, content } of bundle.datafiles.values()) {
    if (schema === undefined) continue;
    for (const { target, at } of collectFacts(content, schema, schemas, types).resources) {
      const backref = { path, datafileSchema: schema, jsonpath: formatJsonPath(at) };
      const known = found.get(target);
      if (known === undefined) found.set(target, [backref]);
      else known.push(backref);
    }
  }
  return found;
}

function formatJsonPath(path: FieldPath): string {
  return path.map((step) => (typeof step === "number" ? `[${step}]` : step)).join(".");
}
