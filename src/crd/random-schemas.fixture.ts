import * as fc from "fast-check";
import { z } from "zod";
import { hasCelType, validations } from "./validations.ts";
import { listMap, listSet, sized } from "./collections.ts";
import { dnsLabel, duration, httpUrl, intOrString, quantity } from "./kube-values.ts";
import { toStructuralSchema } from "./to-structural-schema.ts";

/** A schema of the supported grammar, and values that may or may not satisfy it. */
export interface RandomSchema {
  readonly schema: z.ZodType;
  readonly values: fc.Arbitrary<unknown>;
}

const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 6 }),
  fc.string({ unit: fc.constantFrom(...Array.from("aZ0-.:/= \n\u2028\u212aä😀%")), maxLength: 8 }),
);

/** Never null: where it is not allowed, the server drops or defaults it before it looks. */
const junk = fc.oneof(
  text,
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constantFrom({}, []),
);

function mostly(values: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 9, arbitrary: values }, { weight: 1, arbitrary: junk });
}

function leaf(schema: z.ZodType, values: fc.Arbitrary<unknown>): fc.Arbitrary<RandomSchema> {
  return fc.constant({ schema, values: mostly(values) });
}

const patterns = [
  /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/,
  /^.{0,3}$/u,
  /\s/,
  /^\S*$/,
  /^[^/]+$/,
  /k/i,
  /[^\w-]$/u,
  /^(?:a|Z|0){1,3}/,
  /\b0\b/,
  /^[\s\S]*=[^]*$/,
  /\u212a|\xe4|\u{1f600}/u,
  /[-.:]{2,}/,
];

const boundedText = fc.tuple(fc.nat(4), fc.nat(4)).map(([min, more]) => ({
  schema: z
    .string()
    .min(min)
    .max(min + more),
  values: mostly(text),
}));

const patternText = fc.subarray(patterns, { minLength: 1, maxLength: 2 }).map((chosen) => ({
  schema: chosen.reduce((schema, pattern) => schema.regex(pattern), z.string()),
  values: mostly(text),
}));

const integer = fc
  .tuple(fc.integer({ min: -9, max: 9 }), fc.nat(9), fc.boolean(), fc.boolean())
  .map(([low, more, open, even]) => {
    const bounded = open
      ? z
          .int()
          .gt(low)
          .lt(low + more + 2)
      : z
          .int()
          .min(low)
          .max(low + more);
    return { schema: even ? bounded.multipleOf(2) : bounded, values: mostly(fc.integer({ min: -12, max: 20 })) };
  });

const number = fc.tuple(fc.double({ min: -2, max: 2, noNaN: true }), fc.boolean()).map(([low, open]) => ({
  schema: open ? z.number().gt(low) : z.number().min(low),
  values: mostly(fc.oneof(fc.double({ min: -3, max: 3, noNaN: true }), fc.constant(low))),
}));

const two = (count: number) => String(count).padStart(2, "0");
const date = fc
  .tuple(fc.integer({ min: 1999, max: 2004 }), fc.nat(13), fc.nat(32))
  .map(([y, m, d]) => `${y}-${two(m)}-${two(d)}`);
const time = fc
  .tuple(fc.nat(25), fc.nat(61), fc.constantFrom("Z", ".5Z", "+01:00", "", "z"))
  .map(([h, m, end]) => `T${two(h)}:${two(m)}:00${end}`);

const leaves = [
  boundedText,
  patternText,
  integer,
  number,
  leaf(z.boolean(), fc.boolean()),
  leaf(z.int(), fc.oneof(fc.maxSafeInteger(), fc.constantFrom(2 ** 53, -(2 ** 53)))),
  leaf(z.int32(), fc.oneof(fc.integer(), fc.constantFrom(2 ** 31, -(2 ** 31) - 1))),
  leaf(z.enum(["a", "Z", ""]), fc.constantFrom("a", "Z", "", "b")),
  leaf(z.literal([1, 2]), fc.constantFrom(1, 2, 3)),
  leaf(z.iso.date(), date),
  leaf(
    z.iso.datetime({ offset: true }),
    fc.tuple(date, time).map((parts) => parts.join("")),
  ),
  leaf(z.uuid(), fc.uuid()),
  leaf(z.email(), fc.emailAddress()),
  leaf(z.ipv4(), fc.oneof(fc.ipV4(), fc.ipV4Extended())),
  leaf(z.hex(), fc.constantFrom("", "0aF", "0x")),
  leaf(httpUrl(), fc.oneof(fc.webUrl(), fc.constantFrom("/a", "http://", "https://a:1/"))),
  leaf(dnsLabel(), fc.constantFrom("a", "a-0", "-a", "A", "a.b")),
  leaf(duration(), fc.constantFrom("1s", "1h30m", "0", "5", "1.5h", "P1D", "-1s")),
  leaf(quantity(), fc.constantFrom(1, "1", "1.5Gi", "1gb", "", 1.5, "2e3")),
  leaf(intOrString(), fc.constantFrom(1, "a", 1.5, 2 ** 31)),
  leaf(
    z.unknown(),
    fc.jsonValue({ maxDepth: 2 }).filter((value) => value !== null),
  ),
  leaf(
    listSet(z.array(z.enum(["a", "b", "c"])).max(3)),
    fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 4 }),
  ),
  leaf(
    listMap(z.array(z.object({ name: z.string(), port: z.int().default(1) })), ["name", "port"]),
    fc.array(fc.record({ name: fc.constantFrom("a", "b"), port: fc.constantFrom(1, 2) }, { requiredKeys: ["name"] }), {
      maxLength: 3,
    }),
  ),
];

/** A field as it stands in an object: required, optional, nullable or with a default. */
function asField(inner: RandomSchema): fc.Arbitrary<RandomSchema> {
  const { schema, values } = inner;
  const isEnum = schema instanceof z.ZodEnum || schema instanceof z.ZodLiteral;
  const nullable = isEnum
    ? []
    : [fc.constant({ schema: schema.nullable(), values: fc.oneof(values, fc.constant(null)) })];
  const withDefault = fc.array(values, { minLength: 9, maxLength: 9 }).map((tries) => {
    const valid = tries.find((value) => value !== null && schema.safeParse(value).success);
    return { schema: valid === undefined ? schema.optional() : schema.prefault(valid), values };
  });
  return fc.oneof(fc.constant(inner), fc.constant({ schema: schema.optional(), values }), withDefault, ...nullable);
}

function objectOf(fields: readonly RandomSchema[]): RandomSchema {
  const named = fields.map((field, index) => [`p${index}`, field] as const);
  const schema = z.object(Object.fromEntries(named.map(([name, field]) => [name, field.schema])));
  const model: Record<string, fc.Arbitrary<unknown>> = Object.fromEntries(
    named.map(([name, field]) => [name, field.values]),
  );
  const required = named.filter(([, field]) => field.schema._zod.optin === undefined).map(([name]): string => name);
  const complete = fc.record(model, { requiredKeys: required });
  return {
    schema,
    values: mostly(fc.oneof({ weight: 4, arbitrary: complete }, fc.record(model, { requiredKeys: [] }))),
  };
}

function branchesOf([a, b]: readonly [RandomSchema, RandomSchema]): RandomSchema {
  const schema = z.discriminatedUnion("type", [
    z.strictObject({ type: z.literal("a"), a: a.schema }),
    z.strictObject({ type: z.literal(["b", "c"]), b: b.schema.optional() }),
  ]);
  const values = fc.oneof(
    fc.record({ type: fc.constantFrom("a", "d"), a: a.values }),
    fc.record({ type: fc.constantFrom("a", "b", "c"), a: a.values, b: b.values }, { requiredKeys: ["type"] }),
  );
  return { schema, values: mostly(values) };
}

function mapOf({ schema, values }: RandomSchema): RandomSchema {
  const map = sized(z.record(z.string(), schema), { max: 3 });
  return {
    schema: hasCelType(toStructuralSchema(schema, "")) ? validations(map, [notTwo]) : map,
    values: mostly(fc.dictionary(fc.constantFrom("a", "b/c", "d", "e"), values, { maxKeys: 4, noNullPrototype: true })),
  };
}

const notTwo = {
  rule: "size(self) != 2",
  message: "is not of two",
  check: (value: object) => Object.keys(value).length !== 2,
};

const composites = fc.letrec<{ any: RandomSchema }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    { weight: 3, arbitrary: fc.oneof(...leaves) },
    {
      weight: 3,
      arbitrary: fc
        .array(tie("any").chain(asField), { minLength: 1, maxLength: 3, depthIdentifier: "schema" })
        .map(objectOf),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(tie("any"), fc.nat(2), fc.nat(2)).map(([item, min, more]) => ({
        schema: z
          .array(item.schema)
          .min(min)
          .max(min + more),
        values: mostly(fc.array(item.values, { maxLength: 4 })),
      })),
    },
    {
      weight: 1,
      arbitrary: tie("any").map(mapOf),
    },
    { weight: 1, arbitrary: fc.tuple(tie("any"), tie("any")).map(branchesOf) },
  ),
}));

export const randomSchema: fc.Arbitrary<RandomSchema> = composites.any;
