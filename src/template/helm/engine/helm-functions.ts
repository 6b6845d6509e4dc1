import {
  fromJson,
  fromJsonArray,
  fromToml,
  fromYaml,
  fromYamlArray,
  FunctionError,
  type FunctionSet,
  type GoFunction,
  goFunction,
  type GoValue,
  toJson,
  toToml,
  toYaml,
  toYamlPretty,
  weigh,
} from "#golang";
import { sprigFunctions } from "../../sprig/index.ts";
import { include } from "./include.ts";
import { renderingOf } from "./rendering.ts";
import { tpl } from "./tpl.ts";

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
