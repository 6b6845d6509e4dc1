import { isJsonList, isJsonObject, type JsonObject, type JsonValue } from "#base";
import { Budget, chartLimits, compileRegexp, findFirst, FunctionError } from "#golang";
import { arrayChecks } from "./array-keywords.ts";
import type { Draft } from "./draft-keywords.ts";
import { appendToken, type JsonPointer } from "./json-pointer.ts";
import { type KeywordContext, type Leftovers, Schema } from "./schema.ts";
import { logicChecks, referenceCheck } from "./logic-keywords.ts";
import { objectChecks } from "./object-keywords.ts";
import { gateChecks, scalarChecks } from "./scalar-keywords.ts";
import { SchemaDocument, type SchemaFault } from "./schema-document.ts";

/** Compiles a schema of any draft that Helm knows. Refuses invalid schemas and references to other files. */
export function compileSchema(root: JsonValue, fault: SchemaFault): Schema {
  return new SchemaCompiler(new SchemaDocument(root, fault), fault).compile("");
}

class SchemaCompiler {
  readonly #document: SchemaDocument;
  readonly #fault: SchemaFault;
  readonly #schemas = new Map<JsonPointer, Schema>();
  readonly #anything = new Schema(2020, true);

  constructor(document: SchemaDocument, fault: SchemaFault) {
    this.#document = document;
    this.#fault = fault;
  }

  compile(pointer: JsonPointer): Schema {
    const known = this.#schemas.get(pointer);
    if (known) return known;
    const source = this.#document.schemaAt(pointer);
    const resource = this.#document.resourceAt(pointer);
    const isConstant = typeof source === "boolean" || Object.keys(source).length === 0;
    const schema = new Schema(resource.draft, isConstant ? source !== false : undefined);
    this.#schemas.set(pointer, schema);
    if (resource.pointer !== pointer) schema.resource = this.compile(resource.pointer);
    for (const name of resource.pointer === pointer ? resource.dynamicAnchors : []) {
      schema.dynamicAnchors.set(name, this.compile(resource.anchors.get(name) ?? pointer));
    }
    if (typeof source !== "boolean") this.#fill(schema, this.#context(source, resource.draft, pointer));
    return schema;
  }

  #fill(schema: Schema, context: KeywordContext): void {
    const { object, draft } = context;
    schema.isRecursiveAnchor = object["$recursiveAnchor"] === true;
    const { $dynamicAnchor: anchor } = object;
    schema.dynamicAnchor = typeof anchor === "string" ? anchor : undefined;
    const reference = referenceCheck(context);
    // Before 2019-09, keywords beside a reference are ignored.
    if (reference && draft < 2019) {
      schema.checks.push(reference);
      return;
    }
    schema.gates.push(...gateChecks(context));
    schema.checks.push(
      ...(reference ? [reference] : []),
      ...objectChecks(context),
      ...arrayChecks(context),
      ...scalarChecks(context),
      ...logicChecks(context),
    );
    schema.leaves = leavesOf(context);
  }

  #context(object: JsonObject, draft: Draft, pointer: JsonPointer): KeywordContext {
    const value = (keyword: string) => (Object.hasOwn(object, keyword) ? object[keyword] : undefined);
    const number = (keyword: string) => {
      const found = value(keyword);
      return typeof found === "number" ? found : undefined;
    };
    return {
      object,
      draft,
      number,
      count: number,
      texts: (keyword) => {
        const found = value(keyword);
        return isJsonList(found) ? found.filter((item) => typeof item === "string") : undefined;
      },
      schema: (keyword) => (value(keyword) === undefined ? undefined : this.compile(appendToken(pointer, keyword))),
      schemas: (keyword) => {
        const found = value(keyword);
        return isJsonList(found)
          ? found.map((_, index) => this.compile(appendToken(pointer, keyword, index)))
          : undefined;
      },
      schemaMap: (keyword) => {
        const found = value(keyword);
        if (!isJsonObject(found)) return undefined;
        const names = Object.keys(found).filter((name) => !Array.isArray(found[name]));
        return new Map(names.map((name) => [name, this.compile(appendToken(pointer, keyword, name))]));
      },
      reference: (keyword) => {
        const found = value(keyword);
        if (typeof found !== "string") return undefined;
        const target = this.#document.resolve(found, pointer, keyword);
        return target === undefined ? this.#anything : this.compile(target);
      },
      regexp: (pattern, keyword) => this.#regexp(pattern, appendToken(pointer, keyword)),
    };
  }

  #regexp(pattern: string, place: JsonPointer): (text: string, budget: Budget) => boolean {
    try {
      const regexp = compileRegexp(pattern, new Budget(chartLimits));
      return (text, budget) => findFirst(regexp, text, budget) !== undefined;
    } catch (error) {
      if (error instanceof FunctionError)
        throw this.#fault(place, error.message, "write it in the syntax of Go's regexp package");
      throw error;
    }
  }
}

function leavesOf({ object, draft }: KeywordContext): Leftovers {
  const { items, additionalItems, additionalProperties, prefixItems } = object;
  const first = draft >= 2020 ? prefixItems : items;
  // Before 2020-12, additionalItems counts only beside a list of items.
  const hasRest = draft >= 2020 || !isJsonList(items) ? items !== undefined : additionalItems !== undefined;
  return {
    properties: additionalProperties === undefined,
    itemsFrom: hasRest ? Number.POSITIVE_INFINITY : isJsonList(first) ? first.length : 0,
    wantsProperties: draft >= 2019 && object["unevaluatedProperties"] !== undefined,
    wantsItems: draft >= 2019 && object["unevaluatedItems"] !== undefined,
  };
}
