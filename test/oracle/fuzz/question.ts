import type { TemplateRequest, YamlRequest } from "../requests.ts";
import { anyJson, anyJsonMap } from "./any-value.ts";
import { anyText } from "./hostile-text.ts";
import { type Node, node, render, shrinkNode } from "./node.ts";
import { pool, pools } from "./pools.ts";
import type { Random } from "./random.ts";
import { anyData, anyTemplate, brokenTemplate } from "./template.ts";
import { anyYaml } from "./yaml-text.ts";

/** A generated template with its data, as pieces that can be shrunk. */
interface TemplateQuestion {
  readonly template: Node;
  /** JSON texts by key. */
  readonly data: ReadonlyMap<string, string>;
  readonly settings: Pick<TemplateRequest, "functions" | "numbers" | "missingKey">;
}

/** A generated question to Go and to us: a template with its data, or YAML to read. */
export type Question = TemplateQuestion | { readonly yaml: string };

export function anyQuestion(random: Random): Question {
  const kind = random.next();
  if (kind < 0.07) return { yaml: anyYaml(random) };
  const numbers = random.pick(["float64", "float64", "int64", "number"] as const);
  if (kind < 0.25) return { ...encoding(random), settings: { functions: "helm", numbers, missingKey: "zero" } };
  if (kind < 0.33) return { ...decoding(random), settings: { functions: "helm", numbers, missingKey: "zero" } };
  const functions = random.pick(["go", "go", "sprig", "sprig", "sprig", "plug", "helm", "helm"] as const);
  // Helm has its own, which `tpl` comes back to.
  const missingKey = functions === "helm" ? "zero" : random.pick(["default", "zero", "error"] as const);
  const faults = random.pick([0.002, 0.01, 0.1]);
  const scope = { random, functions, variables: [], inRange: false, mayCall: true, faults };
  const template = kind < 0.43 ? brokenTemplate(scope) : anyTemplate(scope);
  return { template, data: anyData(random, faults), settings: { functions, numbers, missingKey } };
}

/** A value written by a function of which the exact form matters. */
function encoding(random: Random): Pick<TemplateQuestion, "template" | "data"> {
  if (random.chance(0.3)) {
    const text = JSON.stringify(anyText(random) + random.pick(["", "", anyText(random)]));
    return { template: node("root", `{{ ${random.pick(textEncoders)} .v }}`), data: new Map([["v", text]]) };
  }
  const value = random.pick([anyJson, anyJsonMap, anyJsonMap])(random, 3);
  return { template: node("root", `{{ ${random.pick(encoders)} .v }}`), data: new Map([["v", value]]) };
}

const encoders = pool(
  "toYaml¦toYaml¦toYaml¦toYaml¦toJson¦toJson¦toToml¦toToml¦toPrettyJson¦toRawJson¦toYamlPretty¦toYamlPretty¦quote",
  'squote¦print¦html¦js¦urlquery¦toString¦cat¦printf "%q"¦printf "%#v"¦printf "%+v"¦int64¦float64¦typeOf¦toStrings',
);

const textEncoders = pool(
  'quote¦squote¦toYaml¦toJson¦html¦js¦urlquery¦b64enc¦b32enc¦printf "%q"¦printf "%+q"¦printf "%#q"¦printf "%x"',
  "sha256sum¦camelcase¦snakecase¦kebabcase¦title¦upper¦lower¦untitle¦swapcase¦initials¦nospace¦toDecimal¦wrap 10",
  "regexQuoteMeta¦len¦trunc 5¦abbrev 6¦substr 1 4¦indent 2¦trim¦int64¦float64¦atoi¦clean¦urlParse¦fromJson¦toYamlPretty",
);

/** A text read by a function. */
function decoding(random: Random): Pick<TemplateQuestion, "template" | "data"> {
  const [reader, text] = random.pick<readonly [string, () => string]>([
    ["fromYaml", () => anyYaml(random)],
    ["fromYaml", () => anyYaml(random)],
    ["fromYamlArray", () => anyYaml(random)],
    ["fromJson", () => (random.chance(0.7) ? anyJson(random, 3) : anyText(random))],
    ["fromJsonArray", () => anyJson(random, 2)],
    ["fromToml", () => random.pick(pools.toml ?? [])],
  ]);
  const writer = random.pick(["", "", " | toJson", " | toYaml"]);
  return {
    template: node("root", `{{ ${reader} .v${writer} }}`),
    data: new Map([["v", JSON.stringify(text())]]),
  };
}

/** What is asked of Go. */
export function toRequest(question: Question): TemplateRequest | YamlRequest {
  if ("yaml" in question) return { op: "yaml", text: question.yaml };
  const json = `{${[...question.data].map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(",")}}`;
  return { op: "template", templates: { t: render(question.template) }, entry: "t", json, ...question.settings };
}

/** Smaller questions, of which one may still show what this one shows. */
export function* shrinkQuestion(question: Question): Generator<Question> {
  if ("yaml" in question) {
    for (const yaml of shrinkText(question.yaml)) yield { yaml };
    return;
  }
  const { template, data, settings } = question;
  for (const key of data.keys())
    yield { template, settings, data: new Map([...data].filter(([name]) => name !== key)) };
  for (const smaller of shrinkNode(template)) yield { template: smaller, data, settings };
  if (template.parts.length === 1 && typeof template.parts[0] === "string") {
    for (const text of shrinkText(template.parts[0])) yield { template: node("root", text), data, settings };
  }
  for (const [key, value] of data) {
    for (const smaller of shrinkJson(JSON.parse(value))) {
      yield { template, settings, data: new Map([...data, [key, JSON.stringify(smaller)]]) };
    }
  }
}

function* shrinkText(text: string): Generator<string> {
  for (let length = text.length >> 1; length > 0; length >>= 1) {
    for (let at = 0; at < text.length; at += length) yield (text.slice(0, at) + text.slice(at + length)).toWellFormed();
  }
}

function* shrinkJson(value: unknown): Generator {
  if (typeof value === "string") {
    yield* shrinkText(value);
  } else if (Array.isArray(value)) {
    yield* value;
    for (const index of value.keys()) yield value.toSpliced(index, 1);
    for (const [index, item] of value.entries())
      for (const smaller of shrinkJson(item)) yield value.with(index, smaller);
  } else if (typeof value === "object" && value !== null) {
    yield* Object.values(value);
    for (const key of Object.keys(value)) {
      yield Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
    }
    for (const [key, item] of Object.entries(value)) {
      for (const smaller of shrinkJson(item)) yield { ...value, [key]: smaller };
    }
  }
}
