import { InputError, isJsonList, isJsonObject, type JsonObject, type JsonValue } from "#base";
import { Budget, tenantLimits } from "#golang";
import type { MissingRead } from "../go-template/index.ts";
import type { PlugData } from "./plug-data.ts";
import { type RenderingTraits, type PlugOptions, PlugTemplate } from "./plug-template.ts";

/**
 * Renders every string of an object by itself, keys included. The result stays a string, so that no value can change the
 * structure by quotes or newlines.
 */
export function renderObject(
  template: JsonObject,
  data: PlugData,
  options: PlugOptions = {},
): RenderingTraits & { readonly object: JsonObject } {
  const renderer = new ObjectRenderer(data, options);
  const object = renderer.object(template, options.name ?? "template");
  const { isSecret, isUnstable, missing } = renderer;
  return { object, isSecret, isUnstable, missing };
}

/** An object may have thousands of strings. */
const mostMissing = 20;

class ObjectRenderer {
  readonly #data: PlugData;
  readonly #options: PlugOptions;
  isSecret = false;
  isUnstable = false;
  readonly missing: MissingRead[] = [];

  constructor(data: PlugData, options: PlugOptions) {
    this.#data = data;
    this.#options = { budget: new Budget(options.limits ?? tenantLimits), ...options };
  }

  value(value: JsonValue, where: string): JsonValue {
    if (typeof value === "string") return this.text(value, where);
    if (isJsonList(value)) return value.map((item, index) => this.value(item, `${where}[${index}]`));
    return isJsonObject(value) ? this.object(value, where) : value;
  }

  object(object: JsonObject, where: string): JsonObject {
    const rendered = new Map<string, JsonValue>();
    for (const [written, item] of Object.entries(object)) {
      const place = `${where}.${written}`;
      const key = this.text(written, place);
      if (rendered.has(key)) {
        throw new InputError(`two keys render to ${this.isSecret ? "the same" : JSON.stringify(key)}`, {
          where: place,
          next: "rename one of them",
        });
      }
      rendered.set(key, this.value(item, place));
    }
    return Object.fromEntries(rendered);
  }

  text(text: string, where: string): string {
    if (!text.includes("{%")) return text;
    const result = new PlugTemplate(text, { ...this.#options, name: where }).render(this.#data);
    this.isSecret ||= result.isSecret;
    this.isUnstable ||= result.isUnstable;
    if (this.missing.length < mostMissing) this.missing.push(...result.missing);
    return result.text;
  }
}
