import { z } from "zod";
import { listMap } from "./collections.ts";
import { withMark } from "./marks.ts";
import { validations } from "./validations.ts";

/** What the generator refuses, and what happens if the definition is written by hand. */
export interface RefusalCase {
  readonly construct: string;
  readonly schema: z.ZodType;
  /** Of the message. */
  readonly says: RegExp;
  /** The field of a definition by hand that comes closest; absent where nothing does. */
  readonly byHand?: Readonly<Record<string, unknown>>;
  /** A value on which zod and that definition differ. Absent: the server refuses the definition. */
  readonly differsOn?: unknown;
  readonly reason: string;
}

const text = { type: "string" };
const Tree = z.object({
  get children() {
    return z.array(Tree);
  },
});
const branch = (type: string, schema: Record<string, unknown>) => ({
  properties: { type: { enum: [type] } },
  ...schema,
});
const twoBranches = (first: Record<string, unknown>) => ({
  type: "object",
  properties: { type: text, a: text },
  required: ["type"],
  oneOf: [branch("a", first), branch("b", {})],
});

const types: readonly RefusalCase[] = [
  {
    construct: ".transform",
    schema: z.string().transform((it) => it.toUpperCase()),
    says: /z\.pipe; .*transform after parsing/,
    byHand: text,
    differsOn: "a",
    reason: "the server stores what it was given",
  },
  {
    construct: "z.preprocess",
    schema: z.preprocess(String, z.string()),
    says: /z\.pipe; /,
    byHand: text,
    differsOn: 1,
    reason: "the server refuses what the function would have made right",
  },
  {
    construct: "z.stringbool",
    schema: z.stringbool(),
    says: /z\.pipe; /,
    byHand: text,
    differsOn: "maybe",
    reason: "the server would accept any text",
  },
  {
    construct: ".catch",
    schema: z.string().catch("x"),
    says: /z\.catch; leave out/,
    byHand: text,
    differsOn: 1,
    reason: "the server refuses and replaces nothing",
  },
  {
    construct: "z.coerce.string",
    schema: z.coerce.string(),
    says: /does not turn other values into strings/,
    byHand: text,
    differsOn: 1,
    reason: "the server refuses a number",
  },
  {
    construct: "z.coerce.number",
    schema: z.coerce.number(),
    says: /does not turn other values into numbers/,
    byHand: { type: "number" },
    differsOn: "1",
    reason: "the server refuses a string",
  },
  {
    construct: "z.coerce.boolean",
    schema: z.coerce.boolean(),
    says: /z\.boolean; use z\.boolean\(\)/,
    byHand: { type: "boolean" },
    differsOn: "yes",
    reason: "the server refuses a string",
  },
  {
    construct: "z.date",
    schema: z.date(),
    says: /z\.date; use z\.iso\.datetime/,
    byHand: { type: "string", format: "date-time" },
    differsOn: "2026-01-01T00:00:00Z",
    reason: "JSON has no dates, so zod would refuse what is stored",
  },
  {
    construct: "z.bigint",
    schema: z.int64(),
    says: /z\.bigint; use z\.int/,
    byHand: { type: "integer", format: "int64" },
    differsOn: 1,
    reason: "JSON.parse gives no bigint",
  },
  {
    construct: "z.map",
    schema: z.map(z.string(), z.string()),
    says: /z\.map; use z\.record/,
    byHand: { type: "object", additionalProperties: text },
    differsOn: { a: "b" },
    reason: "JSON has no Map",
  },
  {
    construct: "z.set",
    schema: z.set(z.string()),
    says: /z\.set; use listSet/,
    byHand: { type: "array", uniqueItems: true, items: text },
    reason: "uniqueItems is forbidden",
  },
  {
    construct: "z.tuple",
    schema: z.tuple([z.string(), z.int()]),
    says: /z\.tuple; use z\.object/,
    byHand: { type: "array", items: [text, { type: "integer" }] },
    reason: "items is one schema",
  },
  { construct: "z.symbol", schema: z.symbol(), says: /z\.symbol/, reason: "nothing in JSON" },
  { construct: "z.promise", schema: z.promise(z.string()), says: /z\.promise/, reason: "nothing in JSON" },
  { construct: "z.nan", schema: z.nan(), says: /z\.nan; /, byHand: { type: "nan" }, reason: "JSON has no NaN" },
  { construct: "z.file", schema: z.file(), says: /z\.file; /, byHand: { type: "file" }, reason: "JSON has no files" },
  {
    construct: "z.undefined",
    schema: z.undefined(),
    says: /z\.undefined; /,
    byHand: { type: "undefined" },
    reason: "nothing",
  },
  { construct: "z.void", schema: z.void(), says: /z\.void; /, byHand: { type: "void" }, reason: "nothing" },
  { construct: "z.never", schema: z.never(), says: /z\.never; /, byHand: { not: {} }, reason: "a field needs a type" },
  {
    construct: "z.null",
    schema: z.null(),
    says: /z\.null; use \.nullable/,
    byHand: { type: "null" },
    reason: "OpenAPI v3 has no type null",
  },
  {
    construct: "z.custom",
    schema: z.custom<string>((it) => it === "a"),
    says: /z\.custom; /,
    byHand: text,
    differsOn: "b",
    reason: "the server cannot run it",
  },
  {
    construct: "z.instanceof",
    schema: z.instanceof(Date),
    says: /z\.custom; /,
    byHand: { type: "object" },
    differsOn: {},
    reason: "JSON has no classes",
  },
  {
    construct: "a type that contains itself",
    schema: Tree,
    says: /^spec\.field\.children\[\*\]: a type that contains itself/,
    byHand: { type: "object", properties: { children: { type: "array", items: { $ref: "#" } } } },
    reason: "$ref is forbidden",
  },
];

const combinations: readonly RefusalCase[] = [
  {
    construct: "union of types",
    schema: z.union([z.string(), z.boolean()]),
    says: /does not support this union; use z\.discriminatedUnion/,
    byHand: { anyOf: [text, { type: "boolean" }] },
    reason: "a type below anyOf is not structural",
  },
  {
    construct: "union of objects without a discriminator",
    schema: z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]),
    says: /does not support this union/,
    byHand: { type: "object", oneOf: [{ properties: { a: text } }, { properties: { b: text } }] },
    reason: "a field that only oneOf has is not structural",
  },
  {
    construct: "int or enum",
    schema: z.union([z.int(), z.enum(["a"])]),
    says: /does not support this union/,
    byHand: { "x-kubernetes-int-or-string": true, enum: ["a"] },
    differsOn: 1,
    reason: "an enum binds integers too",
  },
  {
    construct: "intersection of what overlaps",
    schema: z.object({ a: z.string() }).and(z.object({ a: z.string().min(2) })),
    says: /^spec\.field\.a: both sides/,
    byHand: {
      allOf: [
        { type: "object", properties: { a: text } },
        { type: "object", properties: { a: text } },
      ],
    },
    reason: "types below allOf are not structural",
  },
  {
    construct: "intersection of others",
    schema: z.string().and(z.string().min(1)),
    says: /only two plain objects/,
    byHand: { allOf: [text, text] },
    reason: "likewise",
  },
  {
    construct: "fields and a catchall",
    schema: z.object({ a: z.string() }).catchall(z.int()),
    says: /either fields or values of one type/,
    byHand: { type: "object", properties: { a: text }, additionalProperties: { type: "integer" } },
    reason: "properties and additionalProperties exclude each other",
  },
  {
    construct: "a map with restricted keys",
    schema: z.record(z.string().regex(/^[a-z]+$/), z.string()),
    says: /cannot restrict the keys of a map; .*key\.matches/,
    byHand: { type: "object", patternProperties: { "^[a-z]+$": text } },
    reason: "patternProperties is forbidden",
  },
  {
    construct: "a map with numbers for keys",
    schema: z.record(z.number(), z.string()),
    says: /cannot restrict the keys/,
    byHand: { type: "object", additionalProperties: text },
    differsOn: { a: "b" },
    reason: "keys are any text to the server",
  },
  {
    construct: "optional items",
    schema: z.array(z.string().optional()),
    says: /^spec\.field\[\*\]: an item of a list or a value of a map cannot be optional/,
    reason: "nothing in JSON",
  },
  {
    construct: "default items",
    schema: z.array(z.string().default("x")),
    says: /cannot be optional or have a default/,
    byHand: { type: "array", items: { type: "string", default: "x" } },
    differsOn: [null],
    reason: "the server would replace null by the default",
  },
  {
    construct: "default in one branch",
    schema: z.discriminatedUnion("type", [
      z.object({ type: z.literal("a"), a: z.string().default("x") }),
      z.object({ type: z.literal("b") }),
    ]),
    says: /^spec\.field\.a: the API server would fill in this default in every branch/,
    byHand: twoBranches({ properties: { a: { default: "x" } } }),
    reason: "a default below oneOf is not structural",
  },
  {
    construct: "a discriminator with a default",
    schema: z.discriminatedUnion("type", [
      z.object({ type: z.literal("a").default("a") }),
      z.object({ type: z.literal("b"), a: z.string() }),
    ]),
    says: /^spec\.field\.type: the discriminator of a union must be required/,
    byHand: twoBranches({ properties: { type: { enum: ["a"], default: "a" } } }),
    reason: "a default below oneOf is not structural",
  },
  {
    construct: "a field that differs between branches",
    schema: z.discriminatedUnion("type", [
      z.object({ type: z.literal("a"), a: z.string() }),
      z.object({ type: z.literal("b"), a: z.int() }),
    ]),
    says: /same schema in all of them/,
    byHand: twoBranches({ properties: { a: { type: "integer" } } }),
    reason: "a type below oneOf is not structural",
  },
  {
    construct: "rules in a branch",
    schema: z.discriminatedUnion("type", [
      validations(z.object({ type: z.literal("a"), a: z.string().max(9) }), [
        { rule: "self.a != 'x'", message: "not x" },
      ]),
      z.object({ type: z.literal("b") }),
    ]),
    says: /a branch of a union cannot have rules; put them on the union/,
    byHand: twoBranches({ "x-kubernetes-validations": [{ rule: "true" }] }),
    reason: "rules below oneOf are not structural",
  },
  {
    construct: "an open branch",
    schema: z.discriminatedUnion("type", [z.looseObject({ type: z.literal("a") }), z.object({ type: z.literal("b") })]),
    says: /a branch of a union cannot be open/,
    byHand: twoBranches({ "x-kubernetes-preserve-unknown-fields": true }),
    reason: "what is kept is not for oneOf to say",
  },
  {
    construct: "a set of nullables",
    schema: withMark(z.array(z.string().nullable()), { schema: { "x-kubernetes-list-type": "set" } }),
    says: /null cannot be an item of a set/,
    byHand: { type: "array", "x-kubernetes-list-type": "set", items: { type: "string", nullable: true } },
    reason: "the server says so",
  },
  {
    construct: "a list key that may be absent",
    schema: listMap(z.array(z.object({ name: z.string().optional() })), ["name"]),
    says: /^spec\.field\[\*\]\.name: a key of a list must be required or have a default/,
    byHand: {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
      items: { type: "object", properties: { name: text } },
    },
    reason: "the server says so",
  },
  {
    construct: "a list key that is not a scalar",
    schema: listMap(z.array(z.object({ name: z.object({}) })), ["name"]),
    says: /must be a scalar field/,
    byHand: {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
      items: { type: "object", required: ["name"], properties: { name: { type: "object" } } },
    },
    reason: "the server says so",
  },
];

const checks: readonly RefusalCase[] = [
  {
    construct: ".refine",
    schema: z.string().refine((it) => it === "a"),
    says: /the API server cannot run a refinement in JavaScript; use validations/,
    byHand: text,
    differsOn: "b",
    reason: "the server cannot run it",
  },
  {
    construct: ".refine on an object",
    schema: z.object({ a: z.string() }).refine(({ a }) => a === "a"),
    says: /a refinement/,
    byHand: { type: "object", properties: { a: text } },
    differsOn: { a: "b" },
    reason: "likewise",
  },
  {
    construct: ".superRefine",
    schema: z.array(z.string()).superRefine((it, context) => void (it.length === 0 && context.addIssue("empty"))),
    says: /a refinement/,
    byHand: { type: "array", items: text },
    differsOn: [],
    reason: "likewise",
  },
  {
    construct: "an async refinement",
    schema: z.int().refine((it) => Promise.resolve(it > 1)),
    says: /a refinement/,
    reason: "likewise, and nothing could wait for it",
  },
  {
    construct: ".trim",
    schema: z.string().trim(),
    says: /does not change values; leave out \.trim/,
    byHand: text,
    differsOn: " a",
    reason: "the server stores what it was given",
  },
  {
    construct: ".multipleOf a fraction",
    schema: z.number().multipleOf(0.1),
    says: /a multiple of one positive integer/,
    reason: "the server takes the remainder of fractions in another way",
  },
  {
    construct: "a lookahead",
    schema: z.string().regex(/^(?!x)/),
    says: /does not support a lookaround, \(\?!/,
    byHand: { type: "string", pattern: "^(?!x)" },
    reason: "not RE2",
  },
  {
    construct: "a backreference",
    schema: z.string().regex(/^(a|b)\1$/),
    says: /does not support a backreference/,
    byHand: { type: "string", pattern: "^(a|b)\\1$" },
    reason: "not RE2",
  },
  {
    construct: "more than 1,000 repetitions",
    schema: z.string().regex(/^a{1,2000}$/),
    says: /more than 1000 repetitions; use \.min/,
    byHand: { type: "string", pattern: "^a{1,2000}$" },
    reason: "Go refuses it",
  },
  {
    construct: "the flag m",
    schema: z.string().regex(/^a$/m),
    says: /the flag m; leave it out/,
    byHand: { type: "string", pattern: "^a$" },
    differsOn: "b\na",
    reason: "a pattern has no flags",
  },
  {
    construct: "half a character",
    schema: z.string().regex(/^.$/),
    says: /half of a character.*add the flag u/,
    byHand: { type: "string", pattern: "^.$" },
    differsOn: "😀",
    reason: "RE2 counts characters, JavaScript without u counts halves",
  },
  {
    construct: "z.url",
    schema: z.url(),
    says: /cannot check zod's format url; use httpUrl/,
    byHand: { type: "string", format: "uri" },
    differsOn: "/path",
    reason: "for the server, a path is a URI",
  },
  {
    construct: "z.iso.duration",
    schema: z.iso.duration(),
    says: /format duration; use duration\(\) of #crd/,
    byHand: { type: "string", format: "duration" },
    differsOn: "1h",
    reason: "a duration of Go's, not of ISO 8601",
  },
  {
    construct: "z.hostname",
    schema: z.hostname(),
    says: /format hostname; use dnsName/,
    byHand: { type: "string", format: "hostname" },
    differsOn: "☃.example",
    reason: "the server lets symbols pass",
  },
  {
    construct: "z.jwt",
    schema: z.jwt(),
    says: /format jwt/,
    byHand: { type: "string", format: "jwt" },
    differsOn: "x",
    reason: "the server ignores formats it does not know",
  },
  {
    construct: "z.emoji",
    schema: z.emoji(),
    says: /RE2/,
    byHand: { type: "string", format: "emoji" },
    differsOn: "x",
    reason: "likewise",
  },
  {
    construct: "z.stringFormat of a function",
    schema: z.stringFormat("a", (it) => it === "a"),
    says: /cannot check zod's format a/,
    byHand: { type: "string", format: "a" },
    differsOn: "x",
    reason: "likewise",
  },
  {
    construct: "a nullable enum",
    schema: z.enum(["a"]).nullable(),
    says: /never takes null for one of an enum; use \.optional/,
    byHand: { type: "string", nullable: true, enum: ["a", null] },
    differsOn: null,
    reason: "not even with null among its values",
  },
  {
    construct: "an enum of several types",
    schema: z.literal(["a", 1]),
    says: /all strings, all numbers or all booleans/,
    byHand: { enum: ["a", 1] },
    reason: "a field needs a type",
  },
  {
    construct: "a rule without words",
    schema: validations(z.string(), [{ rule: " ", message: "x" }]),
    says: /a rule needs an expression and a message of one line/,
    byHand: { type: "string", "x-kubernetes-validations": [{ rule: " " }] },
    reason: "the server says so",
  },
  {
    construct: "a rule about values of any type",
    schema: validations(z.record(z.string(), z.unknown()), [{ rule: "size(self) < 3", message: "few" }]),
    says: /a rule cannot read a value without a type/,
    byHand: {
      type: "object",
      additionalProperties: { "x-kubernetes-preserve-unknown-fields": true },
      "x-kubernetes-validations": [{ rule: "size(self) < 3" }],
    },
    reason: "CEL needs a type",
  },
  {
    construct: "a message of two lines",
    schema: validations(z.string(), [{ rule: "true", message: "a\nb" }]),
    says: /a message of one line/,
    byHand: { type: "string", "x-kubernetes-validations": [{ rule: "true", message: "a\nb" }] },
    reason: "the server says so",
  },
];

let count = 0;

const defaults: readonly RefusalCase[] = [
  {
    construct: "a default that is not valid",
    schema: z.int().min(2).default(1),
    says: /the default is not valid: /,
    byHand: { type: "integer", minimum: 2, default: 1 },
    reason: "the server says so",
  },
  {
    construct: "a default with an unknown field",
    schema: z.object({ a: z.int().default(1) }).default(JSON.parse('{"a":1,"b":2}')),
    says: /would complete or prune the default; use \.prefault/,
    byHand: { type: "object", properties: { a: { type: "integer" } }, default: { a: 1, b: 2 } },
    reason: "a default must be pruned",
  },
  {
    construct: "a default that the server completes",
    schema: z.object({ a: z.int().default(1) }).default(JSON.parse("{}")),
    says: /would complete or prune the default; use \.prefault/,
    byHand: { type: "object", properties: { a: { type: "integer", default: 1 } }, default: {} },
    differsOn: undefined,
    reason: "zod gives {} and the server gives { a: 1 }",
  },
  {
    construct: "a default of null",
    schema: z.string().nullable().default(null),
    says: /ignores a default of null/,
    byHand: { type: "string", nullable: true, default: null },
    differsOn: undefined,
    reason: "zod gives null, the server nothing",
  },
  {
    construct: "a default that changes",
    schema: z.int().default(() => count++),
    says: /the default differs each time/,
    reason: "a definition holds one value",
  },
  {
    construct: ".nonoptional of a default",
    schema: z.string().default("x").nonoptional(),
    says: /z\.nonoptional can only take back \.optional\(\)/,
    byHand: { type: "string", default: "x" },
    differsOn: undefined,
    reason: "zod refuses an absent value, the server fills it in",
  },
];

export const refusalCases: readonly RefusalCase[] = [...types, ...combinations, ...checks, ...defaults];
