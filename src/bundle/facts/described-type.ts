import { isJsonObject, type JsonValue } from "#base";
import type { FieldDescription, TypeDescription } from "../type-description.ts";

/** A GraphQL type, as a walk through data needs it. */
export class DescribedType {
  readonly name: string;
  /** Whether data files are of this type, or of an interface that it implements. */
  readonly isTopLevel: boolean;
  /** Names of the fields that together tell the items of a list apart, sorted. */
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

  /** The type that implements this one for this very value, as far as that can be told. */
  choose(value: JsonValue): DescribedType {
    const { isInterface, interfaceResolve: resolve } = this.#type;
    if (!isInterface || resolve?.strategy !== "fieldMap" || !isJsonObject(value)) return this;
    const told = value[resolve.field];
    const name = typeof told === "string" && Object.hasOwn(resolve.fieldMap, told) ? resolve.fieldMap[told] : undefined;
    return (name === undefined ? undefined : this.#types.named(name)) ?? this;
  }
}

export class DescribedField {
  readonly name: string;
  /** The type in which no two values of this field may be equal; undefined when they may. */
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

/** The types of a description as nodes. */
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
