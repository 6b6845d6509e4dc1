import {
  fromJson,
  fromJsonArray,
  fromToml,
  fromYaml,
  fromYamlArray,
  FunctionError,
  type FunctionSet,
  goFunction,
  type GoFunction,
  type GoValue,
  quote,
  toJson,
  toToml,
  toYaml,
  toYamlPretty,
  weigh,
} from "#golang";
import { contextOf, renderingOf } from "./rendering.ts";
import { sprigFunctions } from "../../sprig/index.ts";

const mostNested = 1_000;

/** Renders another template into a string. The depth of recursive includes is limited, as in Helm. */
const include = goFunction(["string", "any"], ([name, data], context) => {
  const { templates, included } = renderingOf(context);
  const count = included.get(name) ?? 0;
  if (count > mostNested) {
    throw new FunctionError(`rendering template has a nested reference name: ${name}: unable to execute template`);
  }
  included.set(name, count + 1);
  try {
    return templates.execute(name, data, { context });
  } finally {
    included.set(name, count);
  }
});

/** Renders a text as a template. Templates that it defines can be included until it ends, but not after. */
const tpl = goFunction(["string", "any"], ([text, data], context) => {
  if (!text.includes("{{")) return withoutNoValue(text);
  const rendering = renderingOf(context);
  const templates = rendering.templates.clone();
  const template = during(text, "cannot parse template", () => templates.parse(rendering.name, text, context.budget));
  const inner = { context: contextOf({ ...rendering, templates }, context) };
  return withoutNoValue(during(text, "error during tpl function execution for", () => template.execute(data, inner)));
});

/** Go prints `<no value>` for a missing value, and Helm removes it everywhere. */
export function withoutNoValue(text: string): string {
  return text.includes("<no value>") ? text.replaceAll("<no value>", "") : text;
}

function during<Result>(text: string, what: string, act: () => Result): Result {
  try {
    return act();
  } catch (error) {
    // By name: this must work with next to no stack left.
    if (!(error instanceof Error) || error.name !== "TemplateError") throw error;
    throw new FunctionError(`${what} ${quote(text)}: ${error.message}`, { cause: error });
  }
}

const required = goFunction(["string", "any"], ([message, value]) => {
  if (value === null || value === "") throw new FunctionError(marked(message));
  return value;
});

const own: Readonly<Record<string, GoFunction>> = {
  include,
  tpl,
  required,
  fail: goFunction(["string"], ([message]) => {
    throw new FunctionError(marked(message));
  }),
  lookup: goFunction(["string", "string", "string", "string"], ([apiVersion, kind, namespace, name], context) =>
    renderingOf(context).lookup(apiVersion, kind, namespace, name),
  ),
  // Helm resolves names only with --enable-dns.
  getHostByName: goFunction(["string"], () => ""),
  toYaml: writing(toYaml),
  toYamlPretty: writing(toYamlPretty),
  fromYaml: reading(fromYaml),
  fromYamlArray: reading(fromYamlArray),
  toJson: writing(toJson),
  fromJson: reading(fromJson),
  fromJsonArray: reading(fromJsonArray),
  toToml: writing(toToml),
  fromToml: reading(fromToml),
};

/** Weighs the value first, because a small value may have an endless text. */
function writing(write: (value: GoValue) => string): GoFunction {
  return goFunction(["any"], ([value], { budget }) => {
    weigh(value, budget);
    const text = write(value);
    budget.make(text.length);
    return text;
  });
}

function reading(read: (text: string) => GoValue): GoFunction {
  return goFunction(["string"], ([text], { budget }) => {
    budget.make(text.length);
    return read(text);
  });
}

/** All functions of charts except Go's own. */
export const helmFunctions: FunctionSet = new Map([...sprigFunctions, ...Object.entries(own)]);

const begin = "HELM_ERR_START";
const end = "HELM_ERR_END";

/** Marks a message of the chart's author, so that it can be found inside the final error text. */
function marked(message: string): string {
  return `${begin}${message}${end}`;
}

/** The author's message inside an error text, if there is one. */
export function authorsMessage(error: string): string | undefined {
  const from = error.indexOf(begin);
  const to = error.lastIndexOf(end);
  return from >= 0 && to >= from + begin.length ? error.slice(from + begin.length, to) : undefined;
}
