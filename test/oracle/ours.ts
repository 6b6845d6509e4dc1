import { Budget, fromBytes, type GoValue, Int, LimitError, Named, newMap, quote, toBytes } from "#golang";
import { readFirstYamlDocument, YamlProblem } from "#yaml";
import { TemplateError, TemplateSet } from "../../src/template/go-template/index.ts";
import { helmFunctions } from "../../src/template/helm/engine/helm-functions.ts";
import { contextOf } from "../../src/template/helm/engine/rendering.ts";
import { disabledInPlugs, disabledInSprig, plugFunctions, sprigFunctions } from "../../src/template/sprig/index.ts";
import type { OracleAnswer, TemplateRequest, Text, YamlRequest } from "./requests.ts";

const functionSets = {
  go: { functions: new Map() },
  sprig: { functions: sprigFunctions, disabled: disabledInSprig },
  plug: { functions: plugFunctions, disabled: disabledInPlugs },
  helm: { functions: helmFunctions },
};

/** What we answer to the same question. */
export function answerOurs(request: TemplateRequest | YamlRequest): OracleAnswer {
  return request.op === "yaml" ? readYaml(request) : renderTemplate(request);
}

function renderTemplate(request: TemplateRequest): OracleAnswer {
  try {
    const set = new TemplateSet({
      left: request.left ?? "",
      right: request.right ?? "",
      missingKey: request.missingKey ?? "default",
      ...functionSets[request.functions ?? "go"],
      name: "oracle",
    });
    for (const [name, text] of Object.entries(request.templates)) set.parse(name, decodeText(text));
    const rendering = { name: "oracle", templates: set, included: new Map<string, number>(), lookup: () => ({}) };
    const context = contextOf(rendering, { budget: new Budget(limits), now: Date.now });
    return toAnswer("output", set.execute(request.entry, decodeData(request), { context }));
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    const gaveUp = error.cause instanceof LimitError || error.cause instanceof RangeError;
    return { ...toAnswer("error", error.what), phase: error.phase, ...(gaveUp && { fatal: true }) };
  }
}

/** Like the oracle's own: enough for every case, and an end for those that run away. */
const limits = { steps: 20_000_000, output: 16 << 20, memory: 512 << 20, depth: 10_000 };

function readYaml({ text }: YamlRequest): OracleAnswer {
  try {
    return toAnswer("output", canonicalJson(readFirstYamlDocument(decodeText(text), quote)));
  } catch (error) {
    if (!(error instanceof YamlProblem)) throw error;
    return toAnswer("error", error.message);
  }
}

/** JSON as JavaScript writes it, with sorted keys. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => {
    if (typeof inner !== "object" || inner === null || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).toSorted(([left], [right]) => (left < right ? -1 : 1)));
  });
}

function toAnswer(field: "output" | "error", text: string): OracleAnswer {
  if (text.isWellFormed()) return { [field]: text };
  return { [`${field}Base64`]: Buffer.from(toBytes(text)).toString("base64") };
}

function decodeText(text: Text): string {
  return typeof text === "string" ? text : fromBytes(Buffer.from(text.$bytes, "base64"));
}

function decodeData({ data, json, numbers = "float64" }: TemplateRequest): GoValue {
  const text = json ?? JSON.stringify(data ?? null);
  const revive = (_key: string, value: GoValue, { source }: { source: string }) => {
    if (typeof value === "number") return decodeNumber(source, numbers);
    if (typeof value === "string") return value.toWellFormed();
    if (value === null || typeof value !== "object" || Array.isArray(value) || !isPlain(value)) return value;
    const bytes = value["$bytes"];
    if (typeof bytes === "string") return fromBytes(Buffer.from(bytes, "base64"));
    return newMap(Object.entries(value));
  };
  // TypeScript does not know of the third argument yet, the number as it is written.
  return Reflect.apply(JSON.parse, JSON, [text, revive]);
}

function isPlain(value: object): value is Record<string, GoValue> {
  return Object.getPrototypeOf(value) === Object.prototype;
}

function decodeNumber(source: string, numbers: "float64" | "int64" | "number"): GoValue {
  if (numbers === "number") return new Named("json.Number", source);
  if (numbers === "int64" && /^-?\d+$/.test(source)) {
    const value = BigInt(source);
    if (BigInt.asIntN(64, value) === value) return new Int("int64", value);
  }
  return Number(source);
}
