import { nearestName } from "#base";
import { builtins } from "../../go-template/index.ts";
import { fromBytes } from "#golang";
import { helmFunctions } from "./helm-functions.ts";
import type { ScopedTemplate } from "./template-scopes.ts";

type Advise = (found: RegExpExecArray, templates: readonly ScopedTemplate[]) => string | undefined;

/** What helps, by what Go says. The first that fits is right. */
const advice: readonly (readonly [RegExp, Advise])[] = [
  [
    /no template "([^"]+)" associated|template "([^"]+)" not defined/,
    ([, included, called], templates) => suggestTemplate(included ?? called ?? "", templates),
  ],
  [/function "([^"]+)" not defined/, ([, name = ""]) => suggestFunction(name)],
  [
    /nil pointer evaluating interface \{\}\.(\S+)/,
    ([, name]) => `what should hold ${name} is not set: give it a value, or read it with \`dig\`, or inside \`with\``,
  ],
  [
    /rendering template has a nested reference name: (\S+?):/,
    ([, name]) => `${name} includes itself without end: stop it with an \`if\``,
  ],
  [/calls templates more than|nests deeper/, () => "a template calls itself without end: stop it with an `if`"],
  [
    /expected string; (?:found|got)|wrong type for value; expected string/,
    () => "turn the value into text with `toString`",
  ],
  [/wrong type for value; expected map/, () => "give the value the form of a table"],
  [
    /wrong number of args for (\S+):/,
    ([, name]) => `look at what ${name} takes, and put arguments that are calls in parentheses`,
  ],
  [
    /can't evaluate field (\S+) in type (\S+)/,
    ([, field, type]) =>
      `.${field} is looked for in a ${type}, which has no fields: check what comes before it, or use \`$\` inside \`range\` and \`with\``,
  ],
  [
    /error calling index: index of (?:nil pointer|untyped nil)/,
    () => "what is indexed is not set: give it a value, or use `dig`",
  ],
  [/undefined variable "([^"]+)"/, ([, name]) => `declare ${name} before, outside of the block: {{ ${name} := ... }}`],
  [
    /unexpected EOF|unclosed action/,
    () => "close every `if`, `range`, `with` and `define` with `end`, and every {{ with }}",
  ],
  [/unexpected \{\{end\}\}/, () => "there is one `end` too many"],
];

/** A next step for a template's author, if one is known. */
export function adviceFor(problem: string, templates: readonly ScopedTemplate[]): string | undefined {
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
    ? `define it: {{ define ${JSON.stringify(name)} }}, or add the library chart that does to charts/`
    : `did you mean ${JSON.stringify(nearest)}?`;
}

function suggestFunction(name: string): string {
  if (name === "env" || name === "expandenv") return "Helm does not give charts the environment: pass it as a value";
  const nearest = nearestName(name, [...helmFunctions.keys(), ...builtins().keys()]);
  return nearest === undefined ? "there is no such function in Helm 3" : `did you mean ${nearest}?`;
}
