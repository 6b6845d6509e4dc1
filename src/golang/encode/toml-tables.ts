import { isGoObject } from "../value/kind.ts";
import { mapGet, newMap } from "../value/map-view.ts";
import { Slice } from "../value/typed-values.ts";
import type { GoObject, GoValue } from "../value/value.ts";
import { tomlKey } from "./toml-writer.ts";

/** A name is used for two things. */
export class TomlConflict extends Error {
  override readonly name = "TomlConflict";
}

/** The tables of a TOML document while it is read, and which of them it is in. */
export class TomlTables {
  readonly root: GoObject = newMap();
  /** The table that keys belong to. */
  context: readonly string[] = [];
  /** The key whose value is being read, if one is. */
  key = "";
  /** Tables that only names of others made, or that are not finished: they may be defined once more. */
  readonly #implicit = new Set<string>();
  readonly #arrays = new Set<string>();
  readonly #lists = new Map<GoValue, GoObject[]>();

  /** What BurntSushi calls the last key in a message. */
  get lastKey(): string {
    if (this.key === "") return written(this.context);
    return this.context.length === 0 ? this.key : `${written(this.context)}.${this.key}`;
  }

  markImplicit(key: readonly string[]): void {
    this.#implicit.add(written(key));
  }

  /** Notes whether what stands under a key is an array; BurntSushi takes an empty key for the context itself, if there is one. */
  markArray(key: string, isArray: boolean): void {
    const path = written(key === "" && this.context.length > 0 ? this.context : [...this.context, key]);
    if (isArray) this.#arrays.add(path);
    else this.#arrays.delete(path);
  }

  /** Goes into a table, which begins here; or into a new one at the end of a list of tables. */
  enter(key: readonly string[], isList: boolean): void {
    const parents = key.slice(0, -1);
    const name = key.at(-1) ?? "";
    let table = this.root;
    for (const [at, part] of parents.entries()) {
      const path = parents.slice(0, at + 1);
      if (!Object.hasOwn(table, part)) {
        this.markImplicit(path);
        table[part] = newMap();
      }
      table = this.#tableAt(table, part) ?? fail(`Key '${written(path)}' was already created as a hash.`);
    }
    this.context = parents;
    if (isList) this.#append(table, name, key);
    else this.set(name, newMap());
    this.context = key;
  }

  #append(table: GoObject, name: string, key: readonly string[]): void {
    if (!Object.hasOwn(table, name)) {
      const items: GoObject[] = [];
      table[name] = new Slice("map[string]interface {}", items);
      this.#lists.set(table[name], items);
    }
    const items = this.#lists.get(mapGet(table, name));
    if (!items) fail(`Key '${written(key)}' was already created and cannot be used as an array.`);
    items?.push(newMap());
  }

  /** Of a list of tables the last one counts. */
  #tableAt(table: GoObject, part: string): GoObject | undefined {
    const value = mapGet(table, part);
    return this.#lists.get(value)?.at(-1) ?? (isGoObject(value) ? value : undefined);
  }

  /** Sets a key of the context. */
  set(key: string, value: GoValue): void {
    let table = this.root;
    for (const [at, part] of this.context.entries()) {
      const path = this.context.slice(0, at + 1);
      table = this.#tableAt(table, part) ?? fail(`Key '${written(path)}' has already been defined.`);
    }
    const path = written([...this.context, key]);
    if (!Object.hasOwn(table, key)) {
      table[key] = value;
      return;
    }
    if (!this.#implicit.delete(path)) fail(`Key '${path}' has already been defined.`);
    if (this.#arrays.has(path)) table[key] = value;
  }
}

function written(key: readonly string[]): string {
  return key.map(tomlKey).join(".");
}

function fail(problem: string): never {
  throw new TomlConflict(problem);
}
