import { isJsonObject, type JsonValue } from "#base";
import type { FieldDescription, TypeDescription } from "../type-description.ts";

/** A type of the GraphQL description, as a walk through data needs it. */
export class DescribedType {
  readonly name: string;
  /** Whether there are data files of this type, or of an interface that it implements. */
  readonly isTopLevel: boolean;
  /** Names of the fields that together identify an item of a list, sorted. */
  readonly contextUnique: readonly string[];
  readonly fields: ReadonlyMap<string, DescribedField>;
  readonly #type: TypeDescription;
  readonly #types: DescribedTypes;

  constructor(type: TypeDescription, isTopLevel: boolean, types: DescribedTypes) {
    this.name = type.name;
    this.isTopLevel = isTopLevel;
    this.#type = type;
    this.#types = types;
    this.fields = new Map(type.fields.map((field) => [field.name, new DescribedField(field, type, types)]));
    this.contextUnique = type.fields
      .filter((field) => field.isContextUnique || field.isUnique)
      .map(({ name }) => name)
      .toSorted();
  }

  /** The type that implements this interface for this value, or this type if that is unclear. */
  choose(value: JsonValue): DescribedType {
    const { isInterface, interfaceResolve: resolve } = this.#type;
    if (!isInterface || resolve?.strategy !== "fieldMap" || !isJsonObject(value)) return this;
    const tag = value[resolve.field];
    const name = typeof tag === "string" && Object.hasOwn(resolve.fieldMap, tag) ? resolve.fieldMap[tag] : undefined;
    return (name === undefined ? undefined : this.#types.named(name)) ?? this;
  }
}

export class DescribedField {
  readonly name: string;
  /** The type in which no two values of this field may be equal; undefined if the field is not unique. */
  readonly uniqueIn: string | undefined;
  readonly #field: FieldDescription;
  readonly #types: DescribedTypes;

  constructor(field: FieldDescription, owner: TypeDescription, types: DescribedTypes) {
    this.name = field.name;
    this.#field = field;
    this.#types = types;
    this.uniqueIn = types.uniqueIn(field, owner);
  }

  /** The type of its objects. */
  get type(): DescribedType | undefined {
    return this.#types.named(this.#field.type);
  }
}

/** The types of a description, by name and by the schema of their data files. */
export class DescribedTypes {
  readonly #descriptions: ReadonlyMap<string, TypeDescription>;
  readonly #nodes: ReadonlyMap<string, DescribedType>;
  readonly #nameBySchema: ReadonlyMap<string, string>;

  constructor(types: readonly TypeDescription[]) {
    this.#descriptions = new Map(types.map((type) => [type.name, type]));
    const listed = this.#descriptions.get("Query")?.fields ?? [];
    this.#nameBySchema = new Map([
      ...types.flatMap(({ name, datafile }) => (datafile === undefined ? [] : [[datafile, name] as const])),
      ...listed.flatMap(({ type, datafileSchema }) =>
        datafileSchema === undefined ? [] : [[datafileSchema, type] as const],
      ),
    ]);
    const topLevel = new Set(this.#nameBySchema.values());
    this.#nodes = new Map(
      types.map((type) => {
        const isTopLevel = topLevel.has(type.name) || (type.interface !== undefined && topLevel.has(type.interface));
        return [type.name, new DescribedType(type, isTopLevel, this)];
      }),
    );
  }

  named(name: string): DescribedType | undefined {
    return this.#nodes.get(name);
  }

  /** The type of the data files of a schema. */
  ofSchema(schema: string): DescribedType | undefined {
    const name = this.#nameBySchema.get(schema);
    return name === undefined ? undefined : this.named(name);
  }

  uniqueIn(field: FieldDescription, owner: TypeDescription): string | undefined {
    const parent = owner.interface === undefined ? undefined : this.#descriptions.get(owner.interface);
    if (parent?.fields.some(({ name, isUnique }) => name === field.name && isUnique)) return parent.name;
    return field.isUnique ? owner.name : undefined;
  }
}
