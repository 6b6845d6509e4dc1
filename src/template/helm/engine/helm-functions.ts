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

/** Renders another template into a string. It may include itself, but not without end. */
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

/** Renders a text as a template. What it defines can be included by it, and by what it includes, but not after it. */
const tpl = goFunction(["string", "any"], ([text, data], context) => {
  if (!text.includes("{{")) return withoutNoValue(text);
  const rendering = renderingOf(context);
  const templates = rendering.templates.clone();
  const template = during(text, "cannot parse template", () => templates.parse(rendering.name, text));
  const inner = { context: contextOf({ ...rendering, templates }, context) };
  return withoutNoValue(during(text, "error during tpl function execution for", () => template.execute(data, inner)));
});

/** Go prints this for what is missing, and Helm takes it away again wherever it is. */
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
  // Helm asks the network only when it is told to.
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

/** Looks at the value first: it may be small and its text endless. */
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

/** Everything that a chart's template can call beside Go's own functions. */
export const helmFunctions: FunctionSet = new Map([...sprigFunctions, ...Object.entries(own)]);

const begin = "HELM_ERR_START";
const end = "HELM_ERR_END";

/** Marks what a chart's author says, so that it can be told from what is put around it on the way out. */
function marked(message: string): string {
  return `${begin}${message}${end}`;
}

/** What the author said, if an error has it in it. */
export function authorsMessage(error: string): string | undefined {
  const from = error.indexOf(begin);
  const to = error.lastIndexOf(end);
  return from >= 0 && to >= from + begin.length ? error.slice(from + begin.length, to) : undefined;
}
