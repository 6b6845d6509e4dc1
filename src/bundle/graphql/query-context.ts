import type { JsonObject, JsonValue } from "#base";
import type { BundleIndex } from "../references/bundle-index.ts";

/** What the resolvers of one query have at hand, and what they leave behind. */
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

  /** The `$schema` of every object that a field was asked of, each once, in the order of the asking. */
  get schemas(): readonly string[] {
    return [...this.#schemas];
  }

  /** The answer has holes then, and must not leave. */
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
   * Files refer to each other in circles, so that a short query can ask for more than fits in memory. Beyond the limit
   * everything is null: that ends the execution soonest.
   */
  count<Value>(value: Value): Value | null {
    this.#objects += Array.isArray(value) ? value.length : 1;
    return this.isTooLarge ? null : value;
  }
}
