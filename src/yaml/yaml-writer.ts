import { hasLineBreak, type YamlStyle } from "./scalar-style.ts";
import { literalBlock, writeScalar } from "./write-scalar.ts";

/** A scalar that is written as it is, such as a number. */
export class YamlPlainText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** The entries of a map, in the order in which they are written. */
export class YamlEntries<Value> {
  readonly list: readonly (readonly [string, Value])[];

  constructor(list: readonly (readonly [string, Value])[]) {
    this.list = list;
  }
}

/** What the writer knows of a value; the values in lists and maps are not looked at yet. */
export type YamlShape<Value> = null | boolean | string | YamlPlainText | readonly Value[] | YamlEntries<Value>;

/** How values of some kind become YAML. */
export interface YamlDialect<Value> {
  readonly shape: (value: Value) => YamlShape<Value>;
  readonly style: YamlStyle;
  /** The bytes of a string that is not valid Unicode and therefore written as `!!binary`; unset if there are no such strings. */
  readonly toBytes?: (text: string) => Uint8Array;
}

/** What a node is part of. An item of a list and the value of a long key go on in the line of their indicator. */
type Context = "root" | "item" | "value" | "value of long key";

const longestSimpleKey = 128;
const base64Line = 70;

/** Writes values as block collections, the way goyaml does. */
export class YamlWriter<Value> {
  readonly #dialect: YamlDialect<Value>;
  #text = "";
  #lineStart = 0;
  /** What was written last ended with a line break. */
  #hasEndedLine = false;

  constructor(dialect: YamlDialect<Value>) {
    this.#dialect = dialect;
  }

  write(value: Value): string {
    this.#node(value, -1, "root");
    return this.#hasEndedLine ? this.#text : `${this.#text}\n`;
  }

  #node(value: Value, indent: number, context: Context): void {
    const shape = this.#dialect.shape(value);
    if (typeof shape === "string") this.#string(shape, indent, context);
    else if (shape === null || typeof shape === "boolean") this.#plain(String(shape), context);
    else if (shape instanceof YamlPlainText) this.#plain(shape.text, context);
    else if (shape instanceof YamlEntries) this.#entries(shape.list, indent, context);
    else this.#list(shape, indent, context);
  }

  #plain(text: string, context: Context): void {
    this.#text += context === "root" ? text : ` ${text}`;
  }

  #string(text: string, indent: number, context: Context): void {
    if (context !== "root") this.#text += " ";
    const { style } = this.#dialect;
    const column = this.#text.length - this.#lineStart;
    const position = { column, indent: Math.max(indent, 0) + 2, isSimpleKey: false, style };
    const written = text.isWellFormed() ? writeScalar(text, position) : this.#binary(text, position.indent);
    this.#text += written;
    this.#hasEndedLine = /^(?:!!binary )?\|/.test(written) && /[\n\u2028\u2029]$/.test(written);
  }

  #list(items: readonly Value[], indent: number, context: Context): void {
    if (items.length === 0) return this.#plain("[]", context);
    const isBelow = context === "value" && !this.#dialect.style.indentsLists;
    const inner = context === "root" ? 0 : isBelow ? indent : indent + 2;
    let isFirst = true;
    for (const item of items) {
      this.#startEntry(inner, isFirst, context);
      isFirst = false;
      this.#text += "-";
      this.#node(item, inner, "item");
    }
  }

  #entries(entries: readonly (readonly [string, Value])[], indent: number, context: Context): void {
    if (entries.length === 0) return this.#plain("{}", context);
    const inner = context === "root" ? 0 : indent + 2;
    let isFirst = true;
    for (const [key, value] of entries) {
      this.#startEntry(inner, isFirst, context);
      isFirst = false;
      this.#entry(key, value, inner);
    }
  }

  #entry(key: string, value: Value, indent: number): void {
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
    if (!key.isWellFormed()) return this.#simpleBinaryKey(key);
    if (length * 3 > longestSimpleKey && Buffer.byteLength(key) > longestSimpleKey) return undefined;
    return writeScalar(key, { column: 0, indent: 0, isSimpleKey: true, style: this.#dialect.style });
  }

  #simpleBinaryKey(key: string): string | undefined {
    const encoded = this.#base64(key);
    return encoded.endsWith("\n") ? undefined : `!!binary ${encoded}`;
  }

  #binary(text: string, indent: number): string {
    const encoded = this.#base64(text);
    return `!!binary ${encoded.endsWith("\n") ? literalBlock(encoded, indent) : encoded}`;
  }

  /** In lines, if one is not enough. */
  #base64(text: string): string {
    const encoded = Buffer.from(this.#dialect.toBytes?.(text) ?? text).toString("base64");
    return encoded.length < base64Line ? encoded : encoded.replace(/.{1,70}/g, "$&\n");
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
