import type { JsonObject, JsonValue } from "#base";
import type { BundleIndex } from "../references/bundle-index.ts";

/** The state of one query, shared by its resolvers. */
export class QueryContext {
  readonly index: BundleIndex;
  readonly #mostObjects: number;
  readonly #schemas = new Set<string>();
  #last: JsonObject | undefined;
  #objects = 0;

  constructor(index: BundleIndex, mostObjects: number) {
    this.index = index;
    this.#mostObjects = mostObjects;
  }

  /** The `$schema` of every object that a field was read from, each once, in the order of the first read. */
  get schemas(): readonly string[] {
    return [...this.#schemas];
  }

  /** The answer is then incomplete and must not be sent. */
  get isTooLarge(): boolean {
    return this.#objects > this.#mostObjects;
  }

  touch(source: JsonObject): void {
    if (source === this.#last) return;
    this.#last = source;
    const schema = source["$schema"];
    if (typeof schema === "string" && schema !== "") this.#schemas.add(schema);
  }

  /** The value of a field of `source`, with references followed. */
  follow(source: JsonObject, value: JsonValue | undefined): JsonValue | undefined {
    this.touch(source);
    if (typeof value !== "object" || value === null) return value;
    return this.count(this.index.resolve(value));
  }

  /**
   * References can form cycles, so a short query can select more than fits in memory. Beyond the limit every value is
   * null, which ends the execution soonest.
   */
  count<Value>(value: Value): Value | null {
    this.#objects += Array.isArray(value) ? value.length : 1;
    return this.isTooLarge ? null : value;
  }
}
