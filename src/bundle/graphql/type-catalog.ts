import type { FieldDescription, TypeDescription } from "../type-description.ts";

/** The types of a description, by name and by data file. */
export class TypeCatalog {
  readonly types: readonly TypeDescription[];
  readonly #byName: ReadonlyMap<string, TypeDescription>;
  readonly #bySchema: ReadonlyMap<string, TypeDescription>;
  readonly #fields = new Map<string, ReadonlyMap<string, FieldDescription>>();

  constructor(types: readonly TypeDescription[]) {
    this.types = types;
    this.#byName = new Map(types.map((type) => [type.name, type]));
    this.#bySchema = new Map(
      types.flatMap((type) => (type.datafile === undefined ? [] : [[type.datafile, type] as const])),
    );
  }

  type(name: string): TypeDescription | undefined {
    return this.#byName.get(name);
  }

  /** The type of the data files of a schema. */
  typeOf(schema: string): TypeDescription | undefined {
    return this.#bySchema.get(schema);
  }

  /** The interface of a type, that one's interface, and so on. */
  ancestors(type: TypeDescription): readonly TypeDescription[] {
    const ancestors = new Set<TypeDescription>();
    let current: TypeDescription | undefined = type;
    while (current?.interface !== undefined) {
      current = this.type(current.interface);
      if (current === undefined || current === type || ancestors.has(current)) break;
      ancestors.add(current);
    }
    return [...ancestors];
  }

  /** The fields that a filter may name: those of the type and, for an interface with a fieldMap, those of its members. */
  filterFields(name: string): ReadonlyMap<string, FieldDescription> {
    let fields = this.#fields.get(name);
    if (fields === undefined) {
      const found = new Map<string, FieldDescription>();
      this.#collectFields(name, found, new Set());
      this.#fields.set(name, found);
      fields = found;
    }
    return fields;
  }

  #collectFields(name: string, found: Map<string, FieldDescription>, seen: Set<string>): void {
    const type = this.type(name);
    if (type === undefined || seen.has(name)) return;
    seen.add(name);
    for (const field of type.fields) found.set(field.name, field);
    if (type.interfaceResolve?.strategy !== "fieldMap") return;
    for (const member of Object.values(type.interfaceResolve.fieldMap)) this.#collectFields(member, found, seen);
  }
}
