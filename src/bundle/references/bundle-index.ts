import { isJsonList, isJsonObject, type JsonObject, type JsonValue, type Logger, silentLogger } from "#base";
import type { Bundle, Datafile, ResourceFile } from "../bundle.ts";
import { findResourceBackrefs, type ResourceBackref } from "./resource-backrefs.ts";
import { fragmentOf, isReference, type Reference } from "./reference.ts";

/** A data file as queries see it: its content with its `path`, and its `$schema` with the leading slash. */
export type DataObject = JsonObject;

/** A resource as queries see it. */
export interface ResourceObject {
  readonly path: string;
  readonly content: string;
  readonly sha256sum: string;
  readonly $schema: string | null;
  /** Collected from all data files on first use. */
  readonly backrefs: readonly ResourceBackref[];
}

/** Indexes of a bundle for queries. Each is built on first use. */
export class BundleIndex {
  readonly #bundle: Bundle;
  readonly #log: Logger;
  readonly #objects = new Map<string, DataObject>();
  readonly #lists = new Map<string, readonly DataObject[]>();
  readonly #referrers = new Map<string, ReadonlyMap<string, readonly DataObject[]>>();
  readonly #dangling = new Set<string>();
  #bySchema: ReadonlyMap<string, readonly Datafile[]> | undefined;
  #resources: ReadonlyMap<string, ResourceObject> | undefined;
  #backrefs: ReadonlyMap<string, readonly ResourceBackref[]> | undefined;

  constructor(bundle: Bundle, log: Logger = silentLogger) {
    this.#bundle = bundle;
    this.#log = log;
  }

  object(path: string): DataObject | undefined {
    const known = this.#objects.get(path);
    if (known !== undefined) return known;
    const datafile = this.#bundle.datafiles.get(path);
    return datafile && this.#objectOf(datafile);
  }

  /** All data files of a schema, in the order of the bundle. */
  objectsOf(schema: string): readonly DataObject[] {
    let objects = this.#lists.get(schema);
    if (objects === undefined) {
      this.#bySchema ??= Map.groupBy(this.#bundle.datafiles.values(), (datafile) => datafile.schema ?? "");
      objects = (this.#bySchema.get(schema) ?? []).map((datafile) => this.#objectOf(datafile));
      this.#lists.set(schema, objects);
    }
    return objects;
  }

  /** Follows references, and lists that consist of references only. */
  resolve(value: JsonValue): JsonValue {
    if (typeof value !== "object" || value === null) return value;
    if (isReference(value)) return this.#follow(value);
    return isJsonList(value) && value.length > 0 && value.every(isReference)
      ? value.map((reference) => this.#follow(reference))
      : value;
  }

  /** The data files of `schema` that refer to `path` in the field `subAttr` (`a.b`), each once, in the order of the bundle. */
  referrers(schema: string, subAttr: string, path: string): readonly DataObject[] {
    const key = `${schema} ${subAttr}`;
    let byTarget = this.#referrers.get(key);
    if (byTarget === undefined) {
      byTarget = indexReferrers(this.objectsOf(schema), subAttr.split("."));
      this.#referrers.set(key, byTarget);
    }
    return byTarget.get(path) ?? [];
  }

  get resources(): ReadonlyMap<string, ResourceObject> {
    this.#resources ??= new Map(
      Array.from(this.#bundle.resources, ([path, resource]) => [path, this.#resourceObjectOf(resource)]),
    );
    return this.#resources;
  }

  #objectOf({ path, schema, content }: Datafile): DataObject {
    let object = this.#objects.get(path);
    if (object === undefined) {
      object = schema === undefined ? { ...content, path } : { ...content, $schema: schema, path };
      this.#objects.set(path, object);
    }
    return object;
  }

  #resourceObjectOf({ path, content, sha256, schema }: ResourceFile): ResourceObject {
    const backrefs = (): readonly ResourceBackref[] => {
      this.#backrefs ??= findResourceBackrefs(this.#bundle);
      return this.#backrefs.get(path) ?? [];
    };
    return {
      path,
      content,
      sha256sum: sha256,
      $schema: schema ?? null,
      get backrefs() {
        return backrefs();
      },
    };
  }

  /** Null if the file does not exist, so that one broken reference does not fail the whole query. Logged once per bundle. */
  #follow(reference: Reference): DataObject | null {
    const object = this.object(reference.$ref);
    if (object !== undefined) return object;
    const fragment = fragmentOf(reference);
    if (!this.#dangling.has(reference.$ref)) {
      this.#dangling.add(reference.$ref);
      this.#log.error("referenced data file not found", {
        ref: reference.$ref,
        ...(fragment === undefined ? {} : { fragment, next: "reference the whole file, without a fragment" }),
      });
    }
    return null;
  }
}

function indexReferrers(objects: readonly DataObject[], keys: readonly string[]): Map<string, DataObject[]> {
  const byTarget = new Map<string, DataObject[]>();
  for (const object of objects) {
    for (const target of targetsAt(object, keys, 0, new Set())) {
      const referrers = byTarget.get(target);
      if (referrers === undefined) byTarget.set(target, [object]);
      else referrers.push(object);
    }
  }
  return byTarget;
}

/** Descends into lists at any depth. */
function targetsAt(
  value: JsonValue | undefined,
  keys: readonly string[],
  depth: number,
  found: Set<string>,
): Set<string> {
  const key = keys[depth];
  if (isJsonList(value)) {
    for (const item of value) targetsAt(item, keys, depth, found);
  } else if (key === undefined) {
    if (isReference(value)) found.add(value.$ref);
  } else if (isJsonObject(value) && Object.hasOwn(value, key)) {
    targetsAt(value[key], keys, depth + 1, found);
  }
  return found;
}
