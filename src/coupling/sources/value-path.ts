import { InputError, isJsonList, isJsonObject, type JsonValue } from "#base";

/** A step from a value to one inside it. */
type Step =
  /** A field of an object; where the value is a list and the key a number, an item. */
  | { readonly kind: "key"; readonly key: string }
  /** `#` at the end: the number of items of a list. */
  | { readonly kind: "count" }
  /** `#` before more steps: what they find in each item. */
  | { readonly kind: "each"; readonly steps: ValuePath }
  /** `#(name==web)`: the first item that matches. */
  | { readonly kind: "first"; readonly where: ValuePath; readonly equals: string };

type ValuePath = readonly Step[];

/** A bound for nested paths, which must not exhaust the stack. */
const longestPath = 1_024;

/**
 * Reads a path as integration-operator writes it (`spec.ports.0.port`, `spec.ports.#(name=="web").port`) or as kustomize
 * does (`spec.ports[0].port`, `metadata.annotations[a.b/c]`). Other syntax of gjson is refused, and not read as a missing field.
 */
export function parseValuePath(text: string): ValuePath {
  if (text.length > longestPath) {
    throw new InputError(`a field path has at most ${longestPath} characters`, { next: "shorten it" });
  }
  return new PathReader(text).read();
}

class PathReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  read(): ValuePath {
    const steps: Step[] = [];
    while (this.#at < this.#text.length || steps.length === 0) {
      const step = this.#step(steps.length === 0);
      steps.push(step);
      if (step.kind === "each") break;
    }
    return steps;
  }

  #step(isFirst: boolean): Step {
    if (this.#next === "[") return this.#bracket();
    if (!isFirst) this.#expectDot();
    return this.#next === "#" ? this.#hash() : { kind: "key", key: this.#plainKey() };
  }

  #expectDot(): void {
    if (this.#next !== ".") throw this.#problem(`expected a dot or [, got ${quote(this.#next)}`);
    this.#at++;
  }

  /** Up to the next dot or bracket; a backslash escapes the next character. */
  #plainKey(): string {
    const start = this.#at;
    let key = "";
    for (;;) {
      const character = this.#next;
      if (character === undefined || character === "." || character === "[") break;
      if (character === "\\") {
        this.#at++;
        if (this.#next === undefined) throw this.#problem("the path ends with a backslash", this.#at - 1);
        key += this.#next;
        this.#at++;
        continue;
      }
      this.#refuseOtherSyntax(character, this.#at === start);
      key += character;
      this.#at++;
    }
    if (this.#at === start) throw this.#problem("expected a field name");
    return key;
  }

  #refuseOtherSyntax(character: string, isFirst: boolean): void {
    const refused = isFirst ? refusedAnywhere + refusedAtStart : refusedAnywhere;
    if (!refused.includes(character)) return;
    throw this.#problem(`${quote(character)} is not supported in a field path`);
  }

  #bracket(): Step {
    const start = this.#at++;
    const quoteMark = this.#next;
    const isQuoted = quoteMark === '"' || quoteMark === "'";
    const end = this.#text.indexOf(isQuoted ? `${quoteMark}]` : "]", this.#at + (isQuoted ? 1 : 0));
    if (end === -1) throw this.#problem("the bracket is not closed", start);
    const key = this.#text.slice(this.#at + (isQuoted ? 1 : 0), end);
    if (key === "" || (!isQuoted && /[[=*?]/.test(key))) {
      throw this.#problem("expected an index or a key in brackets, such as [0] or [a.b/c]", start);
    }
    this.#at = end + (isQuoted ? 2 : 1);
    return { kind: "key", key };
  }

  #hash(): Step {
    const start = this.#at++;
    if (this.#next === undefined) return { kind: "count" };
    if (this.#next === "(") return this.#query(start);
    const isBracket = this.#next === "[";
    if (!isBracket && this.#next !== ".") throw this.#problem(`expected . or (, got ${quote(this.#next)}`);
    if (!isBracket) this.#at++;
    return { kind: "each", steps: this.read() };
  }

  #query(start: number): Step {
    const match = /^\((?<where>[^()=!<>%~"]+)==(?:"(?<quoted>[^"]*)"|(?<plain>[^()"=]+))\)/.exec(
      this.#text.slice(this.#at),
    );
    if (!match?.groups) throw this.#problem('a query is written #(key=="value")', start);
    const { where = "", quoted, plain = "" } = match.groups;
    this.#at += match[0].length;
    if (this.#next === "#") throw this.#problem("a query finds the first item only, so no # may follow it");
    const steps = this.#inner(where.trim(), start);
    return { kind: "first", where: steps, equals: quoted ?? plain.trim() };
  }

  #inner(where: string, start: number): ValuePath {
    const steps = new PathReader(where).read();
    if (steps.every(({ kind }) => kind === "key")) return steps;
    throw this.#problem('a query is written #(key=="value")', start);
  }

  get #next(): string | undefined {
    return this.#text[this.#at];
  }

  #problem(what: string, at = this.#at): InputError {
    return new InputError(what, {
      where: `field path ${JSON.stringify(this.#text)}, column ${at + 1}`,
      next: "write it like spec.ports[0].port, spec.ports.#(name==web).port or metadata.annotations[a.b/c], with a backslash before other characters",
    });
  }
}

/** Wildcards, pipes and comparisons. */
const refusedAnywhere = "*?|#(){}]";
/** Modifiers, literals and JSONPath's root. */
const refusedAtStart = "@!$";

function quote(character: string | undefined): string {
  return character === undefined ? "the end" : JSON.stringify(character);
}

/** The value at a path; undefined if it is missing or null. */
export function findValue(value: JsonValue, path: ValuePath): JsonValue | undefined {
  let found: JsonValue | undefined = value;
  for (const step of path) {
    if (found === undefined || found === null) return undefined;
    found = takeStep(found, step);
  }
  return found ?? undefined;
}

function takeStep(value: JsonValue, step: Step): JsonValue | undefined {
  if (step.kind === "key") return childOf(value, step.key);
  if (!isJsonList(value)) return undefined;
  if (step.kind === "count") return value.length;
  if (step.kind === "first") return value.find((item) => isEqual(findValue(item, step.where), step.equals));
  return value.flatMap((item) => {
    const found = findValue(item, step.steps);
    return found === undefined ? [] : [found];
  });
}

/** Only own properties: the path comes from a user. */
function childOf(value: JsonValue, key: string): JsonValue | undefined {
  if (isJsonList(value)) return /^(?:0|[1-9][0-9]*)$/.test(key) ? value[Number(key)] : undefined;
  return isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** As gjson compares: if the value is a number, the text of the query is read as one. */
function isEqual(value: JsonValue | undefined, text: string): boolean {
  if (typeof value === "number") return text.trim() !== "" && Number(text) === value;
  return typeof value === "boolean" ? String(value) === text : value === text;
}
