import { isGoObject } from "../value/kind.ts";
import { mapGet, newMap } from "../value/map-view.ts";
import { quote } from "../value/quote.ts";
import { isUnicodeLetter } from "../unicode/printable.ts";
import type { GoObject, GoValue } from "../value/value.ts";
import { parseTomlFloat, scanNumberOrDate, scanSigned } from "./toml-number.ts";
import { textEnd, TomlProblem, TomlScanner } from "./toml-scanner.ts";
import { scanTomlString } from "./toml-string.ts";
import { TomlConflict, TomlTables } from "./toml-tables.ts";

/** What is wrong with a text, in the words of BurntSushi's decoder. */
export class TomlError extends Error {
  override readonly name = "TomlError";
}

/** Reads TOML as BurntSushi's decoder does into a map: integers are int64, dates and times `time.Time`. */
export function parseToml(text: string): GoObject {
  const source = text.replace(/^(?:\ufeff|\udcff\udcfe|\udcfe\udcff)/, "");
  if (source.slice(0, 6).includes("\0"))
    throw new TomlError(
      "toml: line 1: files cannot contain NULL bytes; probably using UTF-16; TOML files must be UTF-8",
    );
  return new TomlParser(source).parse();
}

const deepest = 1_000;

class TomlParser {
  readonly #scanner: TomlScanner;
  readonly #tables = new TomlTables();
  /** The line of the key read last, where conflicts of names are reported. */
  #keyLine = 0;
  #depth = 0;

  constructor(text: string) {
    this.#scanner = new TomlScanner(text);
  }

  parse(): GoObject {
    try {
      this.#document();
      return this.#tables.root;
    } catch (error) {
      if (error instanceof TomlConflict) throw this.#error(error.message, this.#keyLine);
      if (error instanceof TomlProblem) throw this.#error(error.message, error.line);
      throw error;
    }
  }

  #error(message: string, line: number): TomlError {
    const { lastKey } = this.#tables;
    return new TomlError(`toml: line ${line}${lastKey && ` (last key ${quote(lastKey)})`}: ${message}`);
  }

  #document(): void {
    const scanner = this.#scanner;
    for (;;) {
      scanner.skip(/^[ \t\r\n]$/);
      const character = scanner.peek();
      if (character === textEnd) return;
      if (character === "#") this.#comment();
      else if (character === "[") this.#tableHeader();
      else this.#pair();
    }
  }

  #comment(): void {
    this.#scanner.skip(/^[^\r\n]$/u);
  }

  /** Behind a table's name or a value nothing may stand in the line but a comment. */
  #lineEnd(): void {
    const scanner = this.#scanner;
    scanner.skipBlanks();
    const character = scanner.peek();
    if (character === "#") return this.#comment();
    scanner.next();
    if (!/^[\r\n]?$/.test(character))
      throw scanner.unexpected(
        "expected a top-level item to end with a newline, comment, or EOF, but got ",
        character,
        " instead",
      );
  }

  #tableHeader(): void {
    const scanner = this.#scanner;
    scanner.next();
    const isList = scanner.accept("[");
    const key = this.#tableName();
    if (isList) {
      const character = scanner.next();
      if (character !== "]")
        throw scanner.unexpected("expected end of table array name delimiter ']', but got ", character, " instead");
    }
    this.#tables.enter(key, isList);
    this.#tables.markArray("", false);
    this.#lineEnd();
  }

  #tableName(): string[] {
    const scanner = this.#scanner;
    const key: string[] = [];
    for (;;) {
      scanner.skipBlanks();
      const first = scanner.peek();
      if (first === "]" || first === textEnd)
        throw scanner.failure("unexpected end of table name (table names cannot be empty)");
      if (first === ".") throw scanner.failure("unexpected table separator (table names cannot be empty)");
      key.push(this.#keyPart(first, key.length === 0));
      scanner.skipBlanks();
      const character = scanner.next();
      if (character === "]") return key;
      if (character !== ".")
        throw scanner.unexpected("expected '.' or ']' to end table name, but got ", character, " instead");
    }
  }

  #keyPart(first: string, isFirst: boolean): string {
    const scanner = this.#scanner;
    const part = first === '"' || first === "'" ? scanTomlString(scanner, true) : scanner.take(/^[A-Za-z0-9_-]$/);
    if (isFirst) this.#keyLine = scanner.line;
    return part;
  }

  #pair(): void {
    const outer = this.#tables.context;
    const { name } = this.#enterKey();
    const value = this.#value(false);
    this.#tables.set(name, value);
    this.#tables.markArray(name, Array.isArray(value));
    this.#tables.context = outer;
    this.#tables.key = "";
    this.#lineEnd();
  }

  /** Reads a key up to its `=` and goes into the tables that it names. */
  #enterKey(): { readonly parents: readonly string[]; readonly name: string } {
    const key = this.#key();
    const parents = key.slice(0, -1);
    const name = key.at(-1) ?? "";
    this.#tables.key = name;
    for (const part of parents) {
      const context = [...this.#tables.context, part];
      this.#tables.markImplicit(context);
      this.#tables.enter(context, false);
    }
    return { parents, name };
  }

  #key(): string[] {
    const scanner = this.#scanner;
    const key: string[] = [];
    for (;;) {
      scanner.skipBlanks();
      const first = scanner.peek();
      const isFirst = key.length === 0;
      if (first === "=" || first === textEnd)
        throw scanner.failure(isFirst ? "unexpected '=': key name appears blank" : "unexpected '='");
      if (first === ".")
        throw scanner.failure(isFirst ? "unexpected '.': keys cannot start with a '.'" : "unexpected '.'");
      key.push(this.#keyPart(first, isFirst));
      scanner.skipBlanks();
      const character = scanner.next();
      if (character === "=") return key;
      if (character !== ".") throw this.#afterKey(character);
    }
  }

  #afterKey(character: string): TomlProblem {
    const scanner = this.#scanner;
    if (character === textEnd) return scanner.failure("unexpected EOF; expected key separator '='", true);
    if (character === "\n") return scanner.failureBefore(`expected '.' or '=', but got '\\n' instead`);
    return scanner.unexpected("expected '.' or '=', but got ", character, " instead");
  }

  #value(isInArray: boolean): GoValue {
    const scanner = this.#scanner;
    scanner.skipBlanks();
    const first = scanner.peek();
    if (/^[0-9]$/.test(first)) return scanNumberOrDate(scanner);
    if (first === '"' || first === "'") return scanTomlString(scanner, false);
    scanner.next();
    if (first === "[") return this.#deeper(() => this.#array());
    if (first === "{") return this.#deeper(() => this.#inlineTable(isInArray));
    if (first === "+" || first === "-") return scanSigned(scanner);
    if (first === ".") throw scanner.failure("floats must start with a digit, not '.'");
    if (isUnicodeLetter(first.codePointAt(0) ?? 0)) return this.#word(first);
    if (first === textEnd) throw scanner.failure("unexpected EOF; expected value", true);
    if (first === "\n") throw scanner.failureBefore("expected value but found '\\n' instead");
    throw scanner.unexpected("expected value but found ", first, " instead");
  }

  #deeper<Value>(read: () => Value): Value {
    this.#depth += 1;
    if (this.#depth > deepest) throw this.#scanner.failure("nested too deeply");
    const value = read();
    this.#depth -= 1;
    return value;
  }

  #word(first: string): GoValue {
    const scanner = this.#scanner;
    const start = scanner.position - first.length;
    if (first === "i" || first === "n") {
      if ((scanner.accept("n") && scanner.accept("f")) || (scanner.accept("a") && scanner.accept("n")))
        return parseTomlFloat(scanner, scanner.text.slice(start, scanner.position));
    }
    // Of a word that began like `inf` or `nan`, only the rest is shown.
    const shownFrom = Math.max(start, scanner.position - first.length);
    while (isUnicodeLetter(scanner.peek().codePointAt(0) ?? 0)) scanner.next();
    const word = scanner.text.slice(shownFrom, scanner.position);
    if (word === "true" || word === "false") return word === "true";
    throw scanner.failure(`expected value but found ${quote(word)} instead`);
  }

  #array(): GoValue[] {
    const scanner = this.#scanner;
    this.#tables.markArray(this.#tables.key, true);
    const items: GoValue[] = [];
    for (;;) {
      this.#skipToEntry();
      const character = scanner.peek();
      if (character === ",") throw this.#unexpectedComma();
      if (scanner.accept("]")) return items;
      items.push(this.#value(true));
      this.#skipToEntry();
      if (scanner.accept("]")) return items;
      if (!scanner.accept(",")) throw this.#missing("expected a comma (',') or array terminator (']'), but got ", "");
    }
  }

  #unexpectedComma(): TomlProblem {
    this.#scanner.next();
    return this.#scanner.failure("unexpected comma");
  }

  #missing(before: string, after: string): TomlProblem {
    const character = this.#scanner.next();
    const seen = character === textEnd ? "end of file" : `'${character}'`;
    return this.#scanner.failure(before + seen + after, character === textEnd);
  }

  #skipToEntry(): void {
    const scanner = this.#scanner;
    for (;;) {
      scanner.skip(/^[ \t\r\n]$/);
      if (scanner.peek() !== "#") return;
      this.#comment();
    }
  }

  #inlineTable(isInArray: boolean): GoObject {
    const scanner = this.#scanner;
    const tables = this.#tables;
    const outerContext = tables.context;
    const outerKey = tables.key;
    const context = [...outerContext, outerKey];
    tables.context = context;
    tables.key = "";
    tables.markImplicit(context);
    tables.enter(context, isInArray);
    const table = newMap();
    for (;;) {
      this.#skipToEntry();
      if (scanner.peek() === ",") throw this.#unexpectedComma();
      if (scanner.accept("}")) break;
      this.#inlinePair(table);
      tables.context = context;
      this.#skipToEntry();
      if (scanner.accept("}")) break;
      if (!scanner.accept(","))
        throw this.#missing("expected a comma or an inline table terminator '}', but got ", " instead");
    }
    tables.context = outerContext;
    tables.key = outerKey;
    return table;
  }

  #inlinePair(table: GoObject): void {
    const { parents, name } = this.#enterKey();
    const value = this.#value(false);
    this.#tables.set(name, value);
    this.#tables.markArray(name, Array.isArray(value));
    let inner = table;
    for (const part of parents) {
      const next = Object.hasOwn(inner, part) ? mapGet(inner, part) : newMap();
      if (!isGoObject(next)) {
        const context = this.#tables.context.map((key) => quote(key)).join(" ");
        throw new TomlConflict(`[${context}] is not a table`);
      }
      inner[part] = next;
      inner = next;
    }
    inner[name] = value;
  }
}
