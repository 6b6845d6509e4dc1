import { type GoValue, toBytes } from "../value/index.ts";
import { Fields, isList, NumberText } from "./json-shape.ts";
import type { YamlDialect } from "./yaml-dialect.ts";
import { literal, yamlString } from "./yaml-scalar.ts";
import { hasLineBreak } from "./yaml-style.ts";

/** What a node is part of. An item of a list and the value of a long key go on in the line of their indicator. */
type Context = "root" | "item" | "value" | "value of long key";

const longestSimpleKey = 128;

/** Writes values as block collections, the way goyaml does. */
export class YamlWriter {
  readonly #dialect: YamlDialect;
  #text = "";
  #lineStart = 0;
  /** What was written last ended with a line break. */
  #hasEndedLine = false;

  constructor(dialect: YamlDialect) {
    this.#dialect = dialect;
  }

  write(value: GoValue): string {
    this.#node(value, -1, "root");
    return this.#hasEndedLine ? this.#text : `${this.#text}\n`;
  }

  #node(value: GoValue, indent: number, context: Context): void {
    const shape = this.#dialect.shape(value);
    if (typeof shape === "string") this.#string(shape, indent, context);
    else if (shape === null || typeof shape === "boolean") this.#plain(String(shape), context);
    else if (shape instanceof NumberText) this.#plain(shape.text, context);
    else if (isList(shape)) this.#list(shape, indent, context);
    else if (shape instanceof Fields) this.#entries(shape.entries, indent, context);
    else this.#entries(this.#dialect.entries(shape), indent, context);
  }

  #plain(text: string, context: Context): void {
    this.#text += context === "root" ? text : ` ${text}`;
  }

  #string(text: string, indent: number, context: Context): void {
    if (context !== "root") this.#text += " ";
    const { version } = this.#dialect;
    const column = this.#text.length - this.#lineStart;
    const place = { column, indent: Math.max(indent, 0) + 2, isSimpleKey: false, version };
    const written = text.isWellFormed() ? yamlString(text, place) : binary(text, place.indent);
    this.#text += written;
    this.#hasEndedLine = /^(?:!!binary )?\|/.test(written) && /[\n\u2028\u2029]$/.test(written);
  }

  #list(items: readonly GoValue[], indent: number, context: Context): void {
    if (items.length === 0) return this.#plain("[]", context);
    const isBelow = context === "value" && this.#dialect.version === 2;
    const inner = context === "root" ? 0 : isBelow ? indent : indent + 2;
    let isFirst = true;
    for (const item of items) {
      this.#startEntry(inner, isFirst, context);
      isFirst = false;
      this.#text += "-";
      this.#node(item, inner, "item");
    }
  }

  #entries(entries: readonly (readonly [string, GoValue])[], indent: number, context: Context): void {
    if (entries.length === 0) return this.#plain("{}", context);
    const inner = context === "root" ? 0 : indent + 2;
    let isFirst = true;
    for (const [key, value] of entries) {
      this.#startEntry(inner, isFirst, context);
      isFirst = false;
      this.#entry(key, value, inner);
    }
  }

  #entry(key: string, value: GoValue, indent: number): void {
    const simple = this.#simpleKey(key);
    if (simple !== undefined) {
      this.#text += `${simple}:`;
      return this.#node(value, indent, "value");
    }
    this.#text += "?";
    this.#string(key, indent, "item");
    this.#startLine(indent);
    this.#text += ":";
    this.#node(value, indent, "value of long key");
  }

  /** A key that fits on a line; others need `?`. */
  #simpleKey(key: string): string | undefined {
    const { length } = key;
    if (length > longestSimpleKey || hasLineBreak(key)) return undefined;
    if (!key.isWellFormed()) return simpleBinaryKey(key);
    if (length * 3 > longestSimpleKey && Buffer.byteLength(key) > longestSimpleKey) return undefined;
    return yamlString(key, { column: 0, indent: 0, isSimpleKey: true, version: this.#dialect.version });
  }

  /** The first entry of what goes on in the line of an indicator needs only a space. */
  #startEntry(indent: number, isFirst: boolean, context: Context): void {
    if (!isFirst || context === "value") this.#startLine(indent);
    else if (context !== "root") this.#text += " ";
  }

  #startLine(indent: number): void {
    if (!this.#hasEndedLine) this.#text += "\n";
    this.#hasEndedLine = false;
    this.#lineStart = this.#text.length;
    this.#text += spaces(indent);
  }
}

const indentations: string[] = [];

function spaces(count: number): string {
  return (indentations[count] ??= " ".repeat(count));
}

const base64Line = 70;

/** A string that is no UTF-8 as its bytes, in lines if they need more than one. */
function base64(text: string): string {
  const encoded = Buffer.from(toBytes(text)).toString("base64");
  return encoded.length < base64Line ? encoded : encoded.replace(/.{1,70}/g, "$&\n");
}

function binary(text: string, indent: number): string {
  const encoded = base64(text);
  return `!!binary ${encoded.endsWith("\n") ? literal(encoded, indent) : encoded}`;
}

function simpleBinaryKey(key: string): string | undefined {
  const encoded = base64(key);
  return encoded.endsWith("\n") ? undefined : `!!binary ${encoded}`;
}
