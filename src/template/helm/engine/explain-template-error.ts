import { nearestName } from "#base";
import { fromBytes } from "#golang";
import { builtins, TemplateError } from "../../go-template/index.ts";
import { ChartError } from "../chart-error.ts";
import { authorsMessage, helmFunctions } from "./helm-functions.ts";
import { setName } from "./rendering.ts";
import type { ScopedTemplate } from "./template-scopes.ts";

/** A position in one of the nested templates; the outermost comes first. */
interface TemplatePosition {
  /** The template's name, or that of the text passed to `tpl`. */
  readonly name: string;
  readonly line: number;
  /** Counted from 1, as editors do. */
  readonly column: number | undefined;
  /** What went wrong there. */
  readonly problem: string;
}

/** Explains a template error: the file and line, the text of the line, and a next step. */
export function explainTemplateError(error: TemplateError, templates: readonly ScopedTemplate[]): ChartError {
  const helmMessage = error.phase === "parse" ? parseMessage(error) : executionMessage(error);
  const files = new Map(templates.map(({ name, file }) => [name, file]));
  const places = placesOf(error);
  const innermost = places.at(-1);
  if (!innermost) return new ChartError(error.message, { helmMessage });
  const outer = places.filter(({ name }) => files.has(name));
  const nearest = outer.pop();
  const quoted = quoteLine(innermost, files.get(innermost.name)?.data);
  const said = authorsMessage(innermost.problem) ?? innermost.problem;
  const inTpl = innermost.name === setName ? ", in text passed to tpl" : "";
  const via = outer.length === 0 ? "" : `, rendered from ${placed(outer.at(-1), files)}`;
  const next = adviceFor(innermost.problem, templates);
  return new ChartError(`${said}${quoted}${inTpl}${via}`, {
    helmMessage,
    ...(nearest && { where: placed(nearest, files) }),
    ...(next && { next }),
  });
}

function placesOf(error: unknown): TemplatePosition[] {
  const places: TemplatePosition[] = [];
  for (let current = error; current instanceof Error; current = current.cause) {
    if (!(current instanceof TemplateError) || current.line === undefined) continue;
    const { line, column, message } = current;
    const end = column === undefined ? `:${line}: ` : `:${line}:${column}: `;
    const at = message.indexOf(end);
    places.push({
      name: message.slice("template: ".length, at),
      line,
      column: column === undefined ? undefined : column + 1,
      problem: message.slice(at + end.length).replace(/^executing "(?:[^"\\]|\\.)*" at <.*?>: /s, ""),
    });
  }
  return places;
}

function placed(place: TemplatePosition | undefined, files: ReadonlyMap<string, { readonly origin: string }>): string {
  if (!place) return "";
  const { name, line, column } = place;
  return [files.get(name)?.origin ?? name, line, ...(column === undefined ? [] : [column])].join(":");
}

const longestQuote = 160;

function quoteLine({ line }: TemplatePosition, data: Uint8Array | undefined): string {
  const text = data && fromBytes(data).split("\n")[line - 1]?.trim();
  if (!text) return "";
  return `, in \`${text.length > longestQuote ? `${text.slice(0, longestQuote)}…` : text}\``;
}

/** Helm keeps the position and the last part of Go's message. */
function parseMessage({ message }: TemplateError): string {
  const parts = message.split(": ");
  return `parse error at (${parts[1]}): ${parts.at(-1)}`;
}

/** Of errors of `required` and `fail`, Helm shows the position and the author's message only. */
function executionMessage({ message }: TemplateError): string {
  const [, place = "", ...rest] = message.split(": ");
  const said = authorsMessage(rest.join(": "));
  return said === undefined ? message : `execution error at (${place}): ${said}`;
}

type Advise = (found: RegExpExecArray, templates: readonly ScopedTemplate[]) => string | undefined;

/** Advice by Go's error text. The first match counts. */
const advice: readonly (readonly [RegExp, Advise])[] = [
  [
    /no template "([^"]+)" associated|template "([^"]+)" not defined/,
    ([, included, called], templates) => suggestTemplate(included ?? called ?? "", templates),
  ],
  [/function "([^"]+)" not defined/, ([, name = ""]) => suggestFunction(name)],
  [
    /nil pointer evaluating interface \{\}\.(\S+)/,
    ([, name]) => `the map that should contain ${name} is not set: set it, or read it with \`dig\` or inside \`with\``,
  ],
  [
    /rendering template has a nested reference name: (\S+?):/,
    ([, name]) => `${name} includes itself more than 1,000 times: stop it with an \`if\``,
  ],
  [/exceeded maximum template depth/, () => "a template calls itself again and again: stop it with an `if`"],
  [/is nested too deeply/, () => "put inner blocks or parentheses into a template of their own, or into a variable"],
  [
    /makes (?:more than \d+ bytes|a text or list that is too long)/,
    () => "find the text or list that grows: in a loop, by a large count, or by a value that contains itself",
  ],
  [/takes more than \d+ steps/, () => "check loops inside loops, and how many elements they have"],
  [/writes more than \d+ bytes/, () => "check loops, and how much each round prints"],
  [/expected string; (?:found|got)|wrong type for value; expected string/, () => "convert the value with `toString`"],
  [/wrong type for value; expected map/, () => "make the value a map"],
  [
    /wrong number of args for (\S+):/,
    ([, name]) => `check the arguments of ${name}, and put nested calls in parentheses`,
  ],
  [
    /can't evaluate field (\S+) in type (\S+)/,
    ([, field, type]) =>
      `a ${type} has no field .${field}: check what stands before it, or use \`$\` inside \`range\` and \`with\``,
  ],
  [
    /error calling index: index of (?:nil pointer|untyped nil)/,
    () => "the indexed value is not set: set it, or use `dig`",
  ],
  [/undefined variable "([^"]+)"/, ([, name]) => `declare ${name} first, outside the block: {{ ${name} := ... }}`],
  [
    /unexpected EOF|unclosed action/,
    () => "close every `if`, `range`, `with` and `define` with `end`, and every {{ with }}",
  ],
  [/unexpected \{\{end\}\}/, () => "remove one `end`"],
];

/** A next step for a template's author, if one is known. */
function adviceFor(problem: string, templates: readonly ScopedTemplate[]): string | undefined {
  for (const [pattern, advise] of advice) {
    const found = pattern.exec(problem);
    if (found) return advise(found, templates);
  }
  return undefined;
}

function suggestTemplate(name: string, templates: readonly ScopedTemplate[]): string {
  const defined = templates.flatMap(({ file }) =>
    [...fromBytes(file.data).matchAll(/\{\{-?\s*(?:define|block)\s+(?:"([^"]+)"|`([^`]+)`)/g)].map(
      (match) => match[1] ?? match[2] ?? "",
    ),
  );
  const nearest = nearestName(name, defined);
  return nearest === undefined
    ? `define it: {{ define ${JSON.stringify(name)} }}, or add the library chart that defines it to charts/`
    : `did you mean ${JSON.stringify(nearest)}?`;
}

function suggestFunction(name: string): string {
  if (name === "env" || name === "expandenv") return "charts cannot read the environment: pass it as a value";
  const nearest = nearestName(name, [...helmFunctions.keys(), ...builtins().keys()]);
  return nearest === undefined ? "Helm 3 has no such function" : `did you mean ${nearest}?`;
}
