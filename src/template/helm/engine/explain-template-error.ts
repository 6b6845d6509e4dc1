import { TemplateError } from "../../go-template/index.ts";
import { fromBytes } from "#golang";
import { ChartError } from "../chart-error.ts";
import { authorsMessage } from "./helm-functions.ts";
import { setName } from "./rendering.ts";
import { adviceFor } from "./template-advice.ts";
import type { ScopedTemplate } from "./template-scopes.ts";

/** One of the templates that were being rendered, the outermost first. */
interface Place {
  /** The template's name, or that of the text given to `tpl`. */
  readonly name: string;
  readonly line: number;
  /** Counted from 1, as editors do. */
  readonly column: number | undefined;
  /** What went wrong there. */
  readonly problem: string;
}

/** Says where a chart's template is wrong, shows the line, and what may help. */
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
  const inTpl = innermost.name === setName ? ", in a text given to tpl" : "";
  const via = outer.length === 0 ? "" : `, rendered from ${placed(outer.at(-1), files)}`;
  const next = adviceFor(innermost.problem, templates);
  return new ChartError(`${said}${quoted}${inTpl}${via}`, {
    helmMessage,
    ...(nearest && { where: placed(nearest, files) }),
    ...(next && { next }),
  });
}

function placesOf(error: unknown): Place[] {
  const places: Place[] = [];
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

function placed(place: Place | undefined, files: ReadonlyMap<string, { readonly origin: string }>): string {
  if (!place) return "";
  const { name, line, column } = place;
  return [files.get(name)?.origin ?? name, line, ...(column === undefined ? [] : [column])].join(":");
}

const longestQuote = 160;

function quoteLine({ line }: Place, data: Uint8Array | undefined): string {
  const text = data && fromBytes(data).split("\n")[line - 1]?.trim();
  if (!text) return "";
  return `, in \`${text.length > longestQuote ? `${text.slice(0, longestQuote)}…` : text}\``;
}

/** Helm keeps the place and the last part of what Go says. */
function parseMessage({ message }: TemplateError): string {
  const parts = message.split(": ");
  return `parse error at (${parts[1]}): ${parts.at(-1)}`;
}

/** What `required` and `fail` say is all that Helm shows, beside the place. */
function executionMessage({ message }: TemplateError): string {
  const [, place = "", ...rest] = message.split(": ");
  const said = authorsMessage(rest.join(": "));
  return said === undefined ? message : `execution error at (${place}): ${said}`;
}
