import { type InputError, isJsonList, isJsonObject, type JsonObject, type JsonValue } from "#base";
import {
  type Draft,
  draftOf,
  idKeyword,
  latestDraft,
  mayBeFlag,
  type Shape,
  shapeFault,
  shapesOf,
} from "./draft-keywords.ts";
import { appendToken, type JsonPointer, lookUp } from "./json-pointer.ts";

/** A part of a document that has a URL of its own. */
export interface SchemaResource {
  readonly pointer: JsonPointer;
  readonly url: string;
  readonly draft: Draft;
  readonly anchors: Map<string, JsonPointer>;
  readonly dynamicAnchors: Set<string>;
}

/** Makes the error for a place in a schema. */
export type SchemaFault = (pointer: JsonPointer, what: string, next?: string) => InputError;

const rootUrl = "file:///values.schema.json";

/** A schema file: finds the schemas in it and their URLs, and checks the types of their keywords. */
export class SchemaDocument {
  readonly root: JsonValue;
  readonly #fault: SchemaFault;
  readonly #resources = new Map<JsonPointer, SchemaResource>();
  readonly #visited = new Set<JsonPointer>();

  constructor(root: JsonValue, fault: SchemaFault) {
    this.root = root;
    this.#fault = fault;
    this.#visit("", rootUrl, latestDraft);
  }

  /** The resource that a place belongs to. */
  resourceAt(pointer: JsonPointer): SchemaResource {
    for (let at = pointer; ; at = at.slice(0, at.lastIndexOf("/"))) {
      const resource = this.#resources.get(at);
      if (resource) return resource;
    }
  }

  /** The schema at a pointer, even if no keyword expects a schema there. */
  schemaAt(pointer: JsonPointer): JsonObject | boolean {
    if (!this.#visited.has(pointer)) {
      const { url, draft } = this.resourceAt(pointer);
      this.#visit(pointer, url, draft);
    }
    const schema = lookUp(this.root, pointer);
    return isJsonObject(schema) ? schema : schema === true;
  }

  /** The pointer that a reference resolves to; `undefined` if it accepts anything, such as a `urn:` that is not resolved. */
  resolve(reference: string, from: JsonPointer, keyword: string): JsonPointer | undefined {
    const base = this.resourceAt(from);
    const [address = "", fragment = ""] = reference.split(/#(.*)/s);
    const url = address === "" ? base.url : join(base.url, address);
    const resource = [...this.#resources.values()].find((each) => each.url === url);
    const place = appendToken(from, keyword);
    if (!resource) {
      if (url?.startsWith("urn:")) return undefined;
      throw this.#fault(
        place,
        `${JSON.stringify(reference)} refers to another file`,
        "move the schema into this file: Tenon reads no other files or URLs",
      );
    }
    const name = decode(fragment);
    const target = name === "" || name?.startsWith("/") ? resource.pointer + name : name && resource.anchors.get(name);
    if (target === undefined || lookUp(this.root, target) === undefined) {
      throw this.#fault(place, `${JSON.stringify(reference)} not found`, "define it, or fix the reference");
    }
    return target;
  }

  #visit(pointer: JsonPointer, base: string, inherited: Draft, acceptsFlag = inherited > 4): void {
    if (this.#visited.has(pointer)) return;
    this.#visited.add(pointer);
    const schema = lookUp(this.root, pointer) ?? null;
    const resource = this.#enter(pointer, schema, base, inherited);
    const { draft } = resource;
    if (!isJsonObject(schema)) {
      if (typeof schema === "boolean" && acceptsFlag) return;
      throw this.#fault(pointer, "is not a schema", acceptsFlag ? "write {…}, true or false" : "write {…}");
    }
    this.#collectAnchors(pointer, schema, resource);
    for (const [keyword, shape] of shapesOf(draft)) {
      const value = Object.hasOwn(schema, keyword) ? schema[keyword] : undefined;
      if (value === undefined) continue;
      const expected = shapeFault(keyword, shape, value, draft);
      if (expected) throw this.#fault(appendToken(pointer, keyword), `${keyword} must be ${expected}`);
      for (const place of schemaPlaces(shape, value)) {
        this.#visit(appendToken(pointer, keyword, ...place), resource.url, draft, mayBeFlag(keyword, draft));
      }
    }
    const bound = draft === 4 ? ["Maximum", "Minimum"].find((name) => isLoneFlag(schema, name)) : undefined;
    if (bound) throw this.#fault(pointer, `exclusive${bound} needs ${bound.toLowerCase()} beside it`);
  }

  /** The resource of a schema: a new one if it has a URL, else the enclosing one. */
  #enter(pointer: JsonPointer, schema: JsonValue, base: string, inherited: Draft): SchemaResource {
    const named = isJsonObject(schema) ? this.#draftOf(pointer, schema) : undefined;
    const isRoot = pointer === "";
    const own = isJsonObject(schema) ? idOf(schema, named ?? inherited) : "";
    const id = own === "" && isJsonObject(schema) && !isRoot ? idOf(schema, inherited) : own;
    if (id === "" && !isRoot) return this.resourceAt(pointer);
    const url = id === "" ? base : join(base, id);
    if (url === undefined) throw this.#fault(pointer, `${JSON.stringify(id)} is not a valid URL`);
    const resource = { pointer, url, draft: named ?? inherited, anchors: new Map(), dynamicAnchors: new Set<string>() };
    const twin = [...this.#resources.values()].find((other) => other.url === url);
    if (twin) throw this.#fault(pointer, `the URL ${JSON.stringify(url)} is already used by #${twin.pointer}`);
    this.#resources.set(pointer, resource);
    return resource;
  }

  #draftOf(pointer: JsonPointer, schema: JsonObject): Draft | undefined {
    const url = schema["$schema"];
    if (typeof url !== "string") return undefined;
    const draft = draftOf(url);
    if (draft !== undefined) return draft;
    throw this.#fault(
      appendToken(pointer, "$schema"),
      `${JSON.stringify(url)} is not a known version of JSON Schema`,
      "use draft 4, 6, 7, 2019-09 or 2020-12",
    );
  }

  #collectAnchors(pointer: JsonPointer, schema: JsonObject, { anchors, dynamicAnchors, draft }: SchemaResource): void {
    for (const [name, isDynamic] of anchorsOf(schema, draft)) {
      const other = anchors.get(name);
      if (other !== undefined && other !== pointer) {
        throw this.#fault(pointer, `the anchor ${JSON.stringify(name)} is already used by #${other}`);
      }
      anchors.set(name, pointer);
      if (isDynamic) dynamicAnchors.add(name);
    }
  }
}

/** Where in a keyword's value schemas are. */
function schemaPlaces(shape: Shape, value: JsonValue): readonly (readonly (string | number)[])[] {
  const isNested =
    shape === "schemaMap" || shape === "schemas" || shape === "schemaOrSchemas" || shape === "dependencies";
  if (isNested && isJsonList(value)) return value.map((_, index) => [index]);
  if (shape === "schemaMap" || shape === "dependencies") {
    const entries = isJsonObject(value) ? Object.entries(value) : [];
    return entries.filter(([, item]) => shape === "schemaMap" || !isJsonList(item)).map(([key]) => [key]);
  }
  return shape === "schema" || shape === "schemaOrSchemas" ? [[]] : [];
}

function isLoneFlag(schema: JsonObject, bound: string): boolean {
  return Object.hasOwn(schema, `exclusive${bound}`) && !Object.hasOwn(schema, bound.toLowerCase());
}

/** Before 2019-09, keywords beside a reference are ignored. */
function isReference(schema: JsonObject, draft: Draft): boolean {
  return draft < 2019 && Object.hasOwn(schema, "$ref");
}

function idOf(schema: JsonObject, draft: Draft): string {
  const id = isReference(schema, draft) ? undefined : schema[idKeyword(draft)];
  return typeof id === "string" ? (id.split("#")[0] ?? "") : "";
}

function* anchorsOf(schema: JsonObject, draft: Draft): Generator<readonly [name: string, isDynamic: boolean]> {
  if (isReference(schema, draft)) return;
  const id = schema[idKeyword(draft)];
  const fragment = draft < 2019 && typeof id === "string" ? decode(id.split(/#(.*)/s)[1] ?? "") : undefined;
  if (fragment && !fragment.startsWith("/")) yield [fragment, false];
  const { $anchor: anchor, $dynamicAnchor: dynamic } = schema;
  if (draft >= 2019 && typeof anchor === "string") yield [anchor, false];
  if (draft >= 2020 && typeof dynamic === "string") yield [dynamic, true];
}

function join(base: string, reference: string): string | undefined {
  return URL.canParse(reference, base) ? new URL(reference, base).href : undefined;
}

function decode(fragment: string): string | undefined {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return undefined;
  }
}
