import { isJsonList, isJsonObject, type JsonObject, type JsonValue } from "#base";

/** The `$ref` in the schema of a field that holds the path of a resource. */
const resourceReference = "/common-1.json#/definitions/resourceref";

/** A part of a JSON schema, as a walk through data needs it: which references it expects, not what it allows. */
export interface SchemaNode {
  readonly schema: JsonObject;
  /** The expected target of a reference: the path of its schema, or a schema for its content. */
  readonly expectedFile: JsonValue | undefined;
  readonly isResource: boolean;
  /** The node for the value of a field. */
  field(name: string): SchemaNode | undefined;
  /** The node for the items of a list. */
  readonly items: SchemaNode | undefined;
  /** The `oneOf` alternative that this value matches, or this node if that is unclear. */
  choose(value: JsonValue): SchemaNode;
}

/** The schemas of a bundle as nodes; each is made once. */
export class SchemaNodes {
  readonly #schemas: ReadonlyMap<string, JsonValue>;
  readonly #nodes = new WeakMap<JsonObject, SchemaNode>();

  constructor(schemas: ReadonlyMap<string, JsonValue>) {
    this.#schemas = schemas;
  }

  /** The node of a whole schema. */
  root(path: string): SchemaNode | undefined {
    return this.node(this.#schemas.get(path), path);
  }

  node(schema: JsonValue | undefined, file: string): SchemaNode | undefined {
    const resolved = this.#resolve(schema, file);
    if (!resolved) return undefined;
    let node = this.#nodes.get(resolved.schema);
    if (!node) {
      node = new LazyNode(resolved.schema, resolved.file, this);
      this.#nodes.set(resolved.schema, node);
    }
    return node;
  }

  /** Follows `$ref` from schema to schema, except those that mark references to files. */
  #resolve(schema: JsonValue | undefined, file: string): { schema: JsonObject; file: string } | undefined {
    let current = schema;
    let base = file;
    for (let steps = 0; steps < 100; steps++) {
      if (!isJsonObject(current)) return undefined;
      const reference = current["$ref"];
      const isMarker = "$schemaRef" in current || reference === resourceReference;
      if (typeof reference !== "string" || isMarker) return { schema: current, file: base };
      const [target = "", pointer = ""] = reference.split("#");
      base = target === "" ? base : target;
      current = atPointer(this.#schemas.get(base), pointer);
    }
    return undefined;
  }
}

class LazyNode implements SchemaNode {
  readonly expectedFile: JsonValue | undefined;
  readonly isResource: boolean;
  readonly schema: JsonObject;
  readonly #file: string;
  readonly #nodes: SchemaNodes;
  readonly #fields = new Map<string, SchemaNode | undefined>();
  readonly #alternatives: readonly JsonValue[];
  #items: SchemaNode | undefined | "unknown" = "unknown";

  constructor(schema: JsonObject, file: string, nodes: SchemaNodes) {
    this.schema = schema;
    this.#file = file;
    this.#nodes = nodes;
    this.expectedFile = schema["$schemaRef"];
    this.isResource = schema["$ref"] === resourceReference;
    const alternatives = schema["oneOf"];
    this.#alternatives = isJsonList(alternatives) ? alternatives : [];
  }

  field(name: string): SchemaNode | undefined {
    const known = this.#fields.get(name);
    if (known !== undefined || this.#fields.has(name)) return known;
    const { properties, additionalProperties } = this.schema;
    const own = isJsonObject(properties) && Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
    const node = this.#nodes.node(own, this.#file);
    // Free-form objects have any number of keys, so only those of the schema are cached.
    if (own !== additionalProperties) this.#fields.set(name, node);
    return node;
  }

  get items(): SchemaNode | undefined {
    if (this.#items === "unknown") this.#items = this.#nodes.node(this.schema["items"], this.#file);
    return this.#items;
  }

  choose(value: JsonValue): SchemaNode {
    if (this.#alternatives.length === 0 || !isJsonObject(value) || this.expectedFile !== undefined) return this;
    const isReference = "$ref" in value;
    const alternatives = this.#alternatives.flatMap((schema) => this.#nodes.node(schema, this.#file) ?? []);
    const references = alternatives.filter(({ expectedFile }) => expectedFile !== undefined);
    if (isReference && references.length > 0) return references[0] ?? this;
    const fitting = alternatives.filter(
      (node) => node.expectedFile === undefined && node instanceof LazyNode && node.#fits(value),
    );
    return fitting.length === 1 ? (fitting[0] ?? this) : this;
  }

  /** Whether every field with an `enum` has one of its values. */
  #fits(value: JsonObject): boolean {
    const { properties } = this.schema;
    if (!isJsonObject(properties)) return false;
    return Object.entries(properties).every(([name, schema]) => {
      const allowed = isJsonObject(schema) ? schema["enum"] : undefined;
      const actual = Object.hasOwn(value, name) ? value[name] : undefined;
      return actual === undefined || !isJsonList(allowed) || allowed.includes(actual);
    });
  }
}

/** RFC 6901, in a URI's fragment. */
export function atPointer(value: JsonValue | undefined, pointer: string): JsonValue | undefined {
  let current = value;
  for (const step of pointer.split("/").slice(1)) {
    const key = decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~");
    if (isJsonList(current)) current = current[Number(key)];
    else if (isJsonObject(current) && Object.hasOwn(current, key)) current = current[key];
    else return undefined;
  }
  return current;
}
