import { InputError } from "#base";
import { type GoObject, type GoValue, int64, isGoObject, isUnicodeSpace, kindName, newMap } from "#golang";

/**
 * How a value on a set line is read: `typed` recognizes null, booleans and integers, `string` does not; `json` is JSON;
 * `literal` takes the rest of the line; a function converts the text, for `--set-file`.
 */
export type SetMode = "typed" | "string" | "json" | "literal" | ((text: string) => GoValue);

const deepestName = 30;
const highestIndex = 65_536;

/** Applies `a.b[0]=c,d={e,f}` to `values` as Helm does: the grammar of `--set` and its variants. */
export function applySetLine(line: string, values: GoObject, mode: SetMode): void {
  const parser = new SetLineParser(line, mode);
  while (!parser.key(values, 0));
}

/** The methods that read a name return `true` at the end of the line. */
class SetLineParser {
  readonly #characters: readonly string[];
  readonly #mode: SetMode;
  #at = 0;

  constructor(line: string, mode: SetMode) {
    this.#characters = Array.from(line);
    this.#mode = mode;
  }

  key(data: GoObject, level: number): boolean {
    const { text: name, stop } = this.#until(this.#mode === "literal" ? "=[." : "=[,.");
    switch (stop) {
      case undefined:
        if (name === "") return true;
        throw new InputError(`key ${JSON.stringify(name)} has no value`, { next: "write key=value" });
      case ",":
        throw new InputError(`key ${JSON.stringify(name)} has no value, and is followed by a comma`, {
          next: String.raw`write key=value, and \, for a comma that belongs to a value`,
        });
      case "=":
        return this.#assign((value) => set(data, name, value));
      case "[": {
        const index = this.#index();
        const list = Object.hasOwn(data, name) ? listOf(data[name], name) : [];
        return this.#item(list, index, level, (changed) => set(data, name, changed));
      }
      default:
        return this.#field(data, name, level + 1);
    }
  }

  #field(data: GoObject, name: string, level: number): boolean {
    if (level > deepestName) throw new InputError(`a name is deeper than ${deepestName} levels`);
    const inner = Object.hasOwn(data, name) ? tableOf(data[name], name) : newMap();
    const isEnd = this.key(inner, level);
    const isEmpty = Object.keys(inner).length === 0;
    if (isEmpty && !isEnd) throw new InputError(`the map ${JSON.stringify(name)} gets no value`);
    if (!isEmpty) set(data, name, inner);
    return isEnd;
  }

  /** Reads what follows `]`, and passes the list with the new item to `put`; at the end of the line, the unchanged list. */
  #item(list: GoValue[], index: number, level: number, put: (list: GoValue[]) => void): boolean {
    const { text, stop } = this.#until("[.=");
    if (text !== "") throw new InputError(`${JSON.stringify(text)} follows an index; expected ., [ or =`);
    if (stop === undefined) {
      put(list);
      return true;
    }
    if (stop === "=") {
      this.#assign((value) => put(withItem(list, index, value)));
      return false;
    }
    let item: GoValue;
    let isEnd = false;
    if (stop === "[") {
      const inner = this.#index();
      const existing = list[index];
      const below = existing === undefined || existing === null ? [] : listOf(existing, `[${index}]`);
      isEnd = this.#item(below, inner, level, (changed) => (item = changed));
    } else {
      if (index < list.length && !isGoObject(list[index])) list[index] = newMap();
      const table = list[index];
      item = isGoObject(table) ? table : newMap();
      isEnd = this.key(item, level);
    }
    put(isEnd ? list : withItem(list, index, item));
    return isEnd;
  }

  #assign(put: (value: GoValue) => void): boolean {
    if (this.#mode === "literal") {
      put(this.#rest());
      return false;
    }
    if (this.#mode === "json") {
      put(this.#json());
      return false;
    }
    if (this.#at === this.#characters.length) {
      put("");
      return true;
    }
    put(this.#characters[this.#at] === "{" ? this.#list() : this.#value(this.#until(",").text));
    return false;
  }

  #list(): GoValue[] {
    this.#at += 1;
    const items: GoValue[] = [];
    for (;;) {
      const { text, stop } = this.#until(",}");
      if (stop === undefined) throw new InputError("a list that begins with { must end with }");
      items.push(this.#value(text));
      if (stop === "}") break;
    }
    if (this.#characters[this.#at] === ",") this.#at += 1;
    return items;
  }

  #json(): GoValue {
    if (this.#skipBlanks()) return null;
    const { value, length } = readJsonPrefix(this.#characters.slice(this.#at).join(""));
    this.#at += length;
    this.#skipBlanks();
    return value;
  }

  /** Skips blanks and one comma; returns whether the value ends there. */
  #skipBlanks(): boolean {
    for (; this.#at < this.#characters.length; this.#at += 1) {
      const character = this.#characters[this.#at] ?? "";
      if (character === ",") {
        this.#at += 1;
        return true;
      }
      if (!isUnicodeSpace(character.codePointAt(0) ?? 0)) return false;
    }
    return true;
  }

  #value(text: string): GoValue {
    if (typeof this.#mode === "function") return this.#mode(text);
    return this.#mode === "string" ? text : typedValue(text);
  }

  #index(): number {
    const { text, stop } = this.#until("]");
    if (stop === undefined) throw new InputError("an index has no closing ]");
    const index = /^[+-]?\d+$/.test(text) ? Number(text) : Number.NaN;
    if (Number.isNaN(index))
      throw new InputError(`${JSON.stringify(text)} is not a list index`, { next: "use a number" });
    if (index < 0) throw new InputError(`the list index ${index} is negative`);
    return index;
  }

  #rest(): string {
    const text = this.#characters.slice(this.#at).join("");
    this.#at = this.#characters.length;
    return text;
  }

  /** Reads up to one of `stops` and skips it; a backslash escapes a character. */
  #until(stops: string): { readonly text: string; readonly stop: string | undefined } {
    let text = "";
    for (;;) {
      const character = this.#characters[this.#at++];
      if (character === undefined) {
        this.#at = this.#characters.length;
        return { text, stop: undefined };
      }
      if (stops.includes(character)) return { text, stop: character };
      if (character === "\\" && this.#mode !== "literal") text += this.#characters[this.#at++] ?? "";
      else text += character;
    }
  }
}

function typedValue(text: string): GoValue {
  switch (text.toLowerCase()) {
    case "true":
      return true;
    case "false":
      return false;
    case "null":
      return null;
    case "0":
      return int64(0n);
    default:
      return text.startsWith("0") ? text : (readInt64(text) ?? text);
  }
}

function readInt64(text: string): GoValue | undefined {
  if (!/^[+-]?\d+$/.test(text)) return undefined;
  const value = BigInt(text.replace(/^\+/, ""));
  return value === BigInt.asIntN(64, value) ? int64(value) : undefined;
}

function set(data: GoObject, name: string, value: GoValue): void {
  if (name !== "") Object.defineProperty(data, name, { value, enumerable: true, writable: true, configurable: true });
}

function withItem(list: GoValue[], index: number, value: GoValue): GoValue[] {
  if (index > highestIndex) throw new InputError(`the list index ${index} is greater than ${highestIndex}`);
  const longer = list.length > index ? list : [...list, ...Array<GoValue>(index + 1 - list.length).fill(null)];
  longer[index] = value;
  return longer;
}

function listOf(value: GoValue, name: string): GoValue[] {
  if (Array.isArray(value)) return value;
  throw new InputError(`${name} is ${described(value)}, not a list`, {
    next: "set the whole value, or remove the index",
  });
}

function tableOf(value: GoValue, name: string): GoObject {
  if (isGoObject(value)) return value;
  throw new InputError(`${name} is ${described(value)}, not a map`, {
    next: `set ${name} itself, or change its earlier value`,
  });
}

function described(value: GoValue): string {
  if (value === null || value === undefined) return "null";
  const kind = kindName(value);
  return kind === "slice"
    ? "a list"
    : kind === "map"
      ? "a table"
      : kind === "int64" || kind === "float64"
        ? "a number"
        : `a ${kind}`;
}

const scalar = /[ \t\r\n]*(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|"(?:[^"\\]|\\.)*")/y;

/** Reads the one JSON value that `text` begins with, whatever follows it. `length` counts characters, not code units. */
function readJsonPrefix(text: string): { readonly value: GoValue; readonly length: number } {
  const json = text.slice(0, endOfValue(text));
  try {
    const value: GoValue = JSON.parse(json, (_, part: unknown) => {
      if (typeof part === "number" && !Number.isFinite(part)) throw new RangeError("a number is too large");
      return typeof part === "string" ? part.toWellFormed() : part;
    });
    return { value, length: Array.from(json).length };
  } catch (error) {
    throw new InputError("the value is not valid JSON", {
      next: 'quote strings and field names, as in {"a": [1]}',
      cause: error,
    });
  }
}

/** Counts brackets outside strings; `JSON.parse` checks the rest. */
function endOfValue(text: string): number {
  scalar.lastIndex = 0;
  if (scalar.test(text)) return scalar.lastIndex;
  let depth = 0;
  for (const match of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/g)) {
    if (match[0] === "[" || match[0] === "{") depth += 1;
    else if (match[0] === "]" || match[0] === "}") depth -= 1;
    if (depth === 0) return match.index + match[0].length;
  }
  return text.length;
}
