import { z } from "zod";
import { atomicList, atomicMap, listMap, listSet, sized } from "./collections.ts";
import { dnsLabel, dnsName, duration, embeddedResource, httpUrl, intOrString, quantity } from "./kube-values.ts";
import { validations } from "./validations.ts";

/** A construct of the generator with values on which zod and the API server must agree. */
export interface ConstructCase {
  readonly construct: string;
  readonly schema: z.ZodType;
  readonly accepts: readonly unknown[];
  readonly refuses: readonly unknown[];
  readonly reason: string;
}

const Port = z.object({ name: z.string().max(20), port: z.int32().min(1).max(65535) });
const Source = z.discriminatedUnion("type", [
  z.object({ type: z.literal("git"), url: z.string(), depth: z.int().min(1).optional() }),
  z.object({ type: z.literal(["oci", "helm"]), image: z.string().min(1), url: z.string().optional() }),
]);
const ClosedSource = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("none") }),
  z.strictObject({ type: z.literal("git"), url: z.string() }),
]);
const nobody = "00000000-0000-0000-0000-000000000000";

const strings: readonly ConstructCase[] = [
  { construct: "z.string", schema: z.string(), accepts: ["", "a", "ä"], refuses: [1, true, {}, []], reason: "a type" },
  {
    construct: "string lengths",
    schema: z.string().min(2).max(3),
    accepts: ["ab", "abc", "😀😀😀"],
    refuses: ["a", "abcd", "😀"],
    reason: "both count characters, also those beyond U+FFFF",
  },
  { construct: ".length", schema: z.string().length(2), accepts: ["ab"], refuses: ["a", "abc"], reason: "both bounds" },
  {
    construct: ".regex",
    schema: z.string().regex(/^[a-z]+$/),
    accepts: ["abc"],
    refuses: ["", "aBc", "abc\n"],
    reason: "a pattern; $ is the very end for both",
  },
  {
    construct: "two of .regex",
    schema: z
      .string()
      .regex(/^[a-z0-9]+$/)
      .regex(/[0-9]$/),
    accepts: ["a1"],
    refuses: ["a", "A1"],
    reason: "a schema has one pattern, so the second stands in allOf",
  },
  {
    construct: ".regex with . and \\s",
    schema: z.string().regex(/^a.\sb$/u),
    accepts: ["ax b", "a😀\u2003b"],
    refuses: ["a\u2028 b", "ax\u200bb"],
    reason: "RE2 reads both otherwise",
  },
  {
    construct: ".regex with the flag i",
    schema: z.string().regex(/^k[x-z]$/i),
    accepts: ["kx", "KZ"],
    refuses: ["\u212ax", "ka"],
    reason: "RE2 would take the Kelvin sign for a k",
  },
  {
    construct: ".regex with escapes",
    schema: z.string().regex(/^[\u00e4\x41\]\-^]\/\p{Lu}$/u),
    accepts: ["ä/A", "]/Ä", "-/Z", "^/B"],
    refuses: ["a/A", "ä/a"],
    reason: "RE2 writes them otherwise",
  },
  {
    construct: ".startsWith, .endsWith, .includes",
    schema: z.string().startsWith("a.").includes("+").endsWith("]"),
    accepts: ["a.+]", "a.\n+]"],
    refuses: ["ab+]", "a.]", "a.+"],
    reason: "literal text in a pattern",
  },
  {
    construct: ".lowercase, .uppercase",
    schema: z.string().lowercase(),
    accepts: ["ä-1", ""],
    refuses: ["aB"],
    reason: "no ASCII letter of the other case",
  },
  {
    construct: "z.templateLiteral",
    schema: z.templateLiteral([z.enum(["cpu", "memory"]), "=", z.int()]),
    accepts: ["cpu=1", "memory=-12"],
    refuses: ["cpu=", "disk=1", "cpu=1.5"],
    reason: "zod composes a pattern",
  },
  {
    construct: "z.iso.datetime",
    schema: z.iso.datetime({ offset: true }),
    accepts: ["2026-02-28T23:59:59Z", "2026-01-01T00:00:00.123+02:00"],
    refuses: ["2026-02-30T00:00:00Z", "2026-01-01", "2026-01-01T00:00Z", "2026-01-01t00:00:00z"],
    reason: "date-time",
  },
  {
    construct: "z.iso.datetime, local",
    schema: z.iso.datetime({ local: true }),
    accepts: ["2026-02-28T23:59", "2026-02-28T23:59:59Z"],
    refuses: ["2026-02-28"],
    reason: "no date-time for Kubernetes, so a pattern alone",
  },
  {
    construct: "z.iso.date",
    schema: z.iso.date(),
    accepts: ["2024-02-29"],
    refuses: ["2026-02-29", "2026-1-1", [], ["2026-01-01"]],
    reason: "the server would let a list stand for a string that has a format",
  },
  { construct: "z.iso.time", schema: z.iso.time(), accepts: ["23:59:59"], refuses: ["24:00:00"], reason: "a pattern" },
  {
    construct: "z.uuid",
    schema: z.uuid(),
    accepts: [nobody],
    refuses: [nobody.replaceAll("-", ""), "x"],
    reason: "the server's uuid would let the hyphens be absent",
  },
  { construct: "z.guid", schema: z.guid(), accepts: [nobody.replace("0", "f")], refuses: ["0"], reason: "uuid" },
  {
    construct: "z.email",
    schema: z.email(),
    accepts: ["a.b+c@example.com"],
    refuses: ["a@b", "Ann <a@example.com>", ".a@example.com"],
    reason: "the server's email would let a display name pass",
  },
  {
    construct: "z.ipv4",
    schema: z.ipv4(),
    accepts: ["10.0.0.1"],
    refuses: ["10.0.0.01", "256.0.0.1", "::1"],
    reason: "the server's ipv4 would let leading zeros pass",
  },
  { construct: "z.ipv6", schema: z.ipv6(), accepts: ["::1", "fe80::1"], refuses: ["1.2.3.4", ":::"], reason: "ipv6" },
  { construct: "z.cidrv4", schema: z.cidrv4(), accepts: ["10.0.0.0/8"], refuses: ["10.0.0.0", "::/0"], reason: "cidr" },
  { construct: "z.cidrv6", schema: z.cidrv6(), accepts: ["fe80::/10"], refuses: ["fe80::/129"], reason: "cidr" },
  { construct: "z.base64", schema: z.base64(), accepts: ["aGk="], refuses: ["aGk", "a*b=", "aG k"], reason: "byte" },
  { construct: "z.base64url", schema: z.base64url(), accepts: ["a-_k"], refuses: ["a", "a+b/"], reason: "a pattern" },
  { construct: "z.hex", schema: z.hex(), accepts: ["0aF"], refuses: ["0x"], reason: "zod's own formats by pattern" },
  { construct: "z.hash", schema: z.hash("md5"), accepts: ["0".repeat(32)], refuses: ["0"], reason: "likewise" },
  { construct: "z.mac", schema: z.mac(), accepts: ["00:1a:2b:3c:4d:5e"], refuses: ["00-1a"], reason: "likewise" },
  {
    construct: "z.ulid",
    schema: z.ulid(),
    accepts: ["01ARZ3NDEKTSV4RRFFQ69G5FAV"],
    refuses: ["0"],
    reason: "likewise",
  },
  { construct: "z.nanoid", schema: z.nanoid(), accepts: ["V1StGXR8_Z5jdHi6B-myT"], refuses: ["V"], reason: "likewise" },
  { construct: "z.e164", schema: z.e164(), accepts: ["+4930123456"], refuses: ["030"], reason: "likewise" },
  {
    construct: "z.stringFormat of a pattern",
    schema: z.stringFormat("colour", /^#[0-9a-f]{6}$/),
    accepts: ["#00ff00"],
    refuses: ["green"],
    reason: "likewise",
  },
  {
    construct: "duration()",
    schema: duration(),
    accepts: ["30s", "1h30m", "1.5h", "0"],
    refuses: ["P1D", "1 day", "-1s", "5"],
    reason: "as Go writes durations",
  },
  { construct: "dnsLabel()", schema: dnsLabel(), accepts: ["a-1"], refuses: ["A", "-a", "a.b"], reason: "names" },
  { construct: "dnsName()", schema: dnsName(), accepts: ["a.b-c.d"], refuses: ["a..b", "A"], reason: "names" },
  {
    construct: "httpUrl()",
    schema: httpUrl(),
    accepts: ["https://example.com", "http://[::1]:8080/a?b=%20#c"],
    refuses: ["/path", "ftp://example.com", "https://", "https://a b"],
    reason: "the server's uri would let a path pass",
  },
];

const scalars: readonly ConstructCase[] = [
  { construct: "z.boolean", schema: z.boolean(), accepts: [true, false], refuses: ["true", 0], reason: "a type" },
  { construct: "z.number", schema: z.number(), accepts: [0, -1.5, 1e300], refuses: ["0", true], reason: "a type" },
  {
    construct: "z.int",
    schema: z.int(),
    accepts: [0, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER],
    refuses: [0.5, 2 ** 53, "1"],
    reason: "beyond 2^53, JavaScript would read another number than was written",
  },
  {
    construct: ".int()",
    schema: z.number().int().min(0),
    accepts: [3],
    refuses: [-1, 0.5],
    reason: "an older spelling",
  },
  {
    construct: "z.int32",
    schema: z.int32(),
    accepts: [2 ** 31 - 1],
    refuses: [2 ** 31, -(2 ** 31) - 1],
    reason: "int32",
  },
  { construct: "z.uint32", schema: z.uint32(), accepts: [2 ** 32 - 1], refuses: [-1, 2 ** 32], reason: "by bounds" },
  { construct: "z.float32", schema: z.float32(), accepts: [1.5], refuses: [3.5e38], reason: "by bounds" },
  { construct: "z.float64", schema: z.float64(), accepts: [1.5e308], refuses: ["1"], reason: "double" },
  {
    construct: "bounds",
    schema: z.number().min(1).max(2),
    accepts: [1, 1.5, 2],
    refuses: [0.99, 2.01],
    reason: "inclusive",
  },
  {
    construct: "exclusive bounds",
    schema: z.number().gt(1).gte(0).lt(2).lte(2),
    accepts: [1.5],
    refuses: [1, 2],
    reason: "of several bounds the narrowest",
  },
  {
    construct: ".multipleOf",
    schema: z.int().multipleOf(5),
    accepts: [0, 10, -5],
    refuses: [3],
    reason: "of integers",
  },
  { construct: "z.enum", schema: z.enum(["a", "b"]), accepts: ["a"], refuses: ["c", ""], reason: "strings" },
  {
    construct: "z.enum of numbers",
    schema: z.enum({ A: 1, B: 2 }),
    accepts: [2],
    refuses: [3, "A"],
    reason: "integers",
  },
  { construct: "z.literal", schema: z.literal(true), accepts: [true], refuses: [false], reason: "an enum of one" },
  { construct: "literals", schema: z.literal([1, 2.5]), accepts: [2.5], refuses: [2], reason: "numbers" },
  {
    construct: "union of literals",
    schema: z.union([z.literal("a"), z.enum(["b", "c"])]),
    accepts: ["a", "c"],
    refuses: ["d"],
    reason: "is an enum",
  },
  { construct: ".nullable", schema: z.string().nullable(), accepts: [null, "a"], refuses: [1], reason: "nullable" },
  {
    construct: "union with null",
    schema: z.union([z.int(), z.null()]),
    accepts: [null, 1],
    refuses: ["a"],
    reason: "nullable",
  },
  {
    construct: "nullable with a format, a pattern and a rule",
    schema: validations(z.iso.date(), [
      { rule: "self.getFullYear() > 2000", message: "is of this century" },
    ]).nullable(),
    accepts: [null, "2026-01-01"],
    refuses: ["x"],
    reason: "they bind what is there",
  },
  {
    construct: "nullable object",
    schema: z.object({ a: z.string() }).nullable(),
    accepts: [null, { a: "" }],
    refuses: [{}, 1],
    reason: "nullable",
  },
  {
    construct: ".readonly, .brand",
    schema: z.string().brand("x").readonly(),
    accepts: ["a"],
    refuses: [1],
    reason: "types only",
  },
  {
    construct: "intOrString()",
    schema: intOrString(),
    accepts: [1, "50%"],
    refuses: [1.5, true, {}],
    reason: "its own extension",
  },
  {
    construct: "restricted int or string",
    schema: z.union([z.int().min(1).max(9), z.string().regex(/^[0-9]+%$/)]),
    accepts: [9, "9%"],
    refuses: [0, 10, "9", ""],
    reason: "bounds bind integers, patterns bind strings",
  },
  {
    construct: "quantity()",
    schema: quantity(),
    accepts: ["500m", "2Gi", 3, "1e3", ".5"],
    refuses: ["2gb", "", 1.5],
    reason: "amounts",
  },
];

const composites: readonly ConstructCase[] = [
  {
    construct: "z.object",
    schema: z.object({ a: z.string(), b: z.int().optional() }),
    accepts: [{ a: "" }, { a: "", b: 1 }, { a: "", unknown: 1 }],
    refuses: [{}, { a: 1 }, { a: "", b: "1" }, "a", []],
    reason: "unknown fields are dropped on both sides",
  },
  {
    construct: "z.strictObject",
    schema: z.strictObject({ a: z.string() }),
    accepts: [{ a: "" }],
    refuses: [{}],
    reason: "an unknown field is dropped by the server before zod sees it",
  },
  {
    construct: "z.looseObject",
    schema: z.looseObject({ a: z.string() }),
    accepts: [{ a: "", any: { b: [1, null] } }],
    refuses: [{}, { a: 1 }],
    reason: "unknown fields stay",
  },
  {
    construct: "empty object",
    schema: z.object({}),
    accepts: [{}],
    refuses: ["a"],
    reason: "an object without fields",
  },
  {
    construct: "intersection of objects",
    schema: z.object({ a: z.string() }).and(z.object({ b: z.int() })),
    accepts: [{ a: "", b: 1 }],
    refuses: [{ a: "" }, { b: 1 }],
    reason: "all fields of both",
  },
  {
    construct: "z.record",
    schema: z.record(z.string(), z.int()),
    accepts: [{}, { "a/b": 1 }],
    refuses: [{ a: "1" }, []],
    reason: "additionalProperties",
  },
  {
    construct: "object with only a catchall",
    schema: z.object({}).catchall(z.int()),
    accepts: [{ a: 1 }],
    refuses: [{ a: "1" }],
    reason: "is a map",
  },
  {
    construct: "sized",
    schema: sized(z.record(z.string(), z.int()), { min: 1, max: 2 }),
    accepts: [{ a: 1 }],
    refuses: [{}, { a: 1, b: 1, c: 1 }],
    reason: "minProperties and maxProperties",
  },
  {
    construct: "z.record of an enum",
    schema: z.record(z.enum(["a", "b"]), z.int()),
    accepts: [{ a: 1, b: 2 }],
    refuses: [{ a: 1 }, { a: 1, b: "2" }],
    reason: "all keys are required",
  },
  {
    construct: "z.partialRecord",
    schema: z.partialRecord(z.enum(["a", "b"]), z.int()),
    accepts: [{}, { b: 1 }],
    refuses: [{ a: "1" }],
    reason: "no key is required",
  },
  {
    construct: "atomicMap",
    schema: atomicMap(z.record(z.string(), z.string())),
    accepts: [{ a: "" }],
    refuses: [{ a: 1 }],
    reason: "x-kubernetes-map-type",
  },
  {
    construct: "z.array",
    schema: z.array(z.int()).min(1).max(2),
    accepts: [[1], [1, 1]],
    refuses: [[], [1, 2, 3], ["a"], {}, [null]],
    reason: "minItems and maxItems",
  },
  {
    construct: "array .length",
    schema: z.array(z.int()).length(1),
    accepts: [[1]],
    refuses: [[]],
    reason: "both bounds",
  },
  {
    construct: "array of nullables",
    schema: z.array(z.int().nullable()),
    accepts: [[1, null]],
    refuses: [["a"]],
    reason: "null in a list",
  },
  {
    construct: "listSet",
    schema: listSet(z.array(z.string())),
    accepts: [[], ["a", "b"]],
    refuses: [["a", "a"]],
    reason: "unique items",
  },
  {
    construct: "listMap",
    schema: listMap(z.array(Port), ["name"]),
    accepts: [
      [
        { name: "a", port: 1 },
        { name: "b", port: 1 },
      ],
    ],
    refuses: [
      [
        { name: "a", port: 1 },
        { name: "a", port: 2 },
      ],
      [{ port: 1 }],
    ],
    reason: "unique keys",
  },
  {
    construct: "listMap by a key with a default",
    schema: listMap(z.array(z.object({ port: z.int32(), protocol: z.string().default("TCP") })), ["port", "protocol"]),
    accepts: [[{ port: 1 }, { port: 1, protocol: "UDP" }]],
    refuses: [[{ port: 1 }, { port: 1, protocol: "TCP" }]],
    reason: "the default counts",
  },
  {
    construct: "atomicList",
    schema: atomicList(z.array(z.int())),
    accepts: [[1, 1]],
    refuses: [["a"]],
    reason: "atomic",
  },
  {
    construct: "z.unknown",
    schema: z.unknown(),
    accepts: [1, "a", { a: { b: [null] } }, [1], true],
    refuses: [],
    reason: "anything, and it is not pruned",
  },
  { construct: "z.json", schema: z.json(), accepts: [{ a: [1, "b", null] }, 1], refuses: [], reason: "anything" },
  {
    construct: "z.lazy",
    schema: z.lazy(() => z.object({ a: z.string() })),
    accepts: [{ a: "" }],
    refuses: [{}],
    reason: "without repetition it is what it gives",
  },
  {
    construct: "embeddedResource()",
    schema: embeddedResource(),
    accepts: [{ apiVersion: "v1", kind: "Pod", metadata: { name: "a" }, spec: { any: 1 } }],
    refuses: [
      { kind: "Pod" },
      { apiVersion: "v1" },
      { apiVersion: "v1", kind: "" },
      { apiVersion: "a/b/c", kind: "Pod" },
    ],
    reason: "the server knows what an object is",
  },
  {
    construct: "z.discriminatedUnion",
    schema: Source,
    accepts: [
      { type: "git", url: "u" },
      { type: "git", url: "u", depth: 1 },
      { type: "oci", image: "i" },
      { type: "helm", image: "i" },
    ],
    refuses: [{}, { type: "svn" }, { type: "git" }, { type: "oci", url: "u" }, { type: "oci", image: "" }],
    reason: "fields of all branches stand together, oneOf says which are required when",
  },
  {
    construct: "closed branches",
    schema: ClosedSource,
    accepts: [{ type: "none" }, { type: "git", url: "u" }],
    refuses: [{ type: "none", url: "u" }, { type: "git" }],
    reason: "a field of another branch is refused",
  },
  {
    construct: "validations",
    schema: validations(z.object({ min: z.int(), max: z.int() }), [
      {
        rule: "self.min <= self.max",
        message: "min is at most max",
        fieldPath: ".max",
        check: (it) => it.min <= it.max,
      },
    ]),
    accepts: [{ min: 1, max: 1 }],
    refuses: [{ min: 2, max: 1 }],
    reason: "CEL and its twin",
  },
  {
    construct: "validations with all options",
    schema: validations(z.string().max(10), [
      {
        rule: "self.startsWith('a')",
        message: "starts with a",
        messageExpression: "'not ' + self",
        reason: "FieldValueForbidden",
        check: (text) => text.startsWith("a"),
      },
    ]).optional(),
    accepts: ["a"],
    refuses: ["b"],
    reason: "on a scalar, below .optional()",
  },
  {
    construct: "validations of a list and its items",
    schema: validations(
      z
        .array(validations(z.int32(), [{ rule: "self % 2 == 0", message: "is even", check: (n) => n % 2 === 0 }]))
        .max(5),
      [{ rule: "self.all(n, n < 10)", message: "are below 10", check: (list) => list.every((n) => n < 10) }],
    ),
    accepts: [[2, 4]],
    refuses: [[1], [12]],
    reason: "rules at both levels",
  },
];

const defaults: readonly ConstructCase[] = [
  {
    construct: ".default",
    schema: z.string().default("x"),
    accepts: [undefined, "y"],
    refuses: [1],
    reason: "a scalar",
  },
  {
    construct: ".default of false and 0",
    schema: z.object({ a: z.boolean().default(false), b: z.int().default(0) }),
    accepts: [{}, { a: true }],
    refuses: [{ a: "x" }],
    reason: "not taken for no default",
  },
  {
    construct: ".prefault of an object",
    schema: z.object({ a: z.int().default(1), b: z.string().optional() }).prefault({}),
    accepts: [undefined, {}, { a: 2, b: "x" }],
    refuses: [{ a: "x" }],
    reason: "defaults inside of a default",
  },
  {
    construct: ".default of an object and a list",
    schema: z.object({ a: z.array(z.int()).default([1]) }).default({ a: [2] }),
    accepts: [undefined, {}, { a: [] }],
    refuses: [{ a: ["x"] }],
    reason: "the outer default wins where all is absent",
  },
  {
    construct: "default within list items",
    schema: z.array(z.object({ a: z.int().default(1) })),
    accepts: [[{}, { a: 2 }]],
    refuses: [[{ a: "x" }]],
    reason: "each item is completed",
  },
  {
    construct: "default within map values",
    schema: z.record(z.string(), z.object({ a: z.int().default(1) })),
    accepts: [{ x: {} }],
    refuses: [{ x: { a: "x" } }],
    reason: "each value is completed",
  },
  {
    construct: "nullable default",
    schema: z.string().nullable().default("x"),
    accepts: [undefined, null, "y"],
    refuses: [1],
    reason: "null is a value of its own",
  },
  {
    construct: ".optional after .default",
    schema: z.int().default(1).optional(),
    accepts: [undefined, 2],
    refuses: ["x"],
    reason: "still a default",
  },
  {
    construct: ".nonoptional",
    schema: z.object({ a: z.string().optional().nonoptional() }),
    accepts: [{ a: "" }],
    refuses: [{}],
    reason: "takes back .optional()",
  },
];

export const constructCases: readonly ConstructCase[] = [...strings, ...scalars, ...composites, ...defaults];
