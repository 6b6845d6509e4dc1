import { YamlEntries, YamlPlainText, type YamlDialect, type YamlShape, YamlWriter } from "#yaml";
import { toBytes } from "../value/bytes.ts";
import { formatShortest } from "../value/format-float.ts";
import { sprint } from "../value/format.ts";
import { FunctionError } from "../value/go-function.ts";
import { Bytes, Complex, GoMap, Int, Named, Slice, Struct, TypedNil } from "../value/typed-values.ts";
import type { GoValue } from "../value/value.ts";
import { compareYaml3Keys } from "./yaml-key-order.ts";

/** A value as goyaml.v3 writes it with an indentation of two, directly and not by way of JSON. */
export function encodePrettyYaml(value: GoValue): string {
  return new YamlWriter(dialect).write(value);
}

/** What version 3 reads as an integer beside what version 2 does. */
const signedOctal = /^0_*o_*[-+]_*[0-7][0-7_]*$/;

const dialect: YamlDialect<GoValue> = {
  shape,
  style: {
    foldsLines: false,
    indentsLists: true,
    allowsTabsInLiterals: true,
    needsQuotes: (text) => signedOctal.test(text),
  },
  toBytes,
};

function sortedEntries(entries: Iterable<readonly [string, GoValue]>): YamlEntries<GoValue> {
  return new YamlEntries([...entries].toSorted(([left], [right]) => compareYaml3Keys(left, right)));
}

function shape(value: GoValue): YamlShape<GoValue> {
  if (value === undefined || value === null) return null;
  if (typeof value === "number") return new YamlPlainText(floatText(value));
  if (typeof value !== "object" || Array.isArray(value)) return value;
  if (value instanceof Int) return new YamlPlainText(value.value.toString());
  if (value instanceof Slice) return value.items;
  if (value instanceof GoMap) return sortedEntries(value.entries);
  if (value instanceof Bytes) return Array.from(value.bytes, (byte) => new Int("uint8", BigInt(byte)));
  if (value instanceof Struct) return structShape(value);
  if (value instanceof Named) return value.type === "time.Duration" ? sprint([value]) : shape(value.underlying);
  if (value instanceof TypedNil)
    return value.type.startsWith("map") ? new YamlEntries([]) : value.type.startsWith("[]") ? [] : null;
  if (value instanceof Complex) throw new FunctionError("cannot marshal type: complex128");
  return sortedEntries(Object.entries(value));
}

/** Of types with a text form that is it; of others the fields, under their names in lower case. */
function structShape({ type, details }: Struct): YamlShape<GoValue> {
  const text = details.json?.();
  if (typeof text === "string") return type.endsWith("time.Time") ? new YamlPlainText(text) : text;
  const fields = Object.entries(details.fields ?? {});
  return new YamlEntries(fields.map(([name, value]) => [name.toLowerCase(), value]));
}

function floatText(value: number): string {
  if (Number.isNaN(value)) return ".nan";
  if (Number.isFinite(value)) return formatShortest(value);
  return value > 0 ? ".inf" : "-.inf";
}
