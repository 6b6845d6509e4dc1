import type { Scalar } from "./resolve-scalar.ts";
import type { EntryPositions } from "./text-position.ts";
import { compareNames, goSyntax, keyOfName, keyText } from "./typed-key.ts";
import { YamlProblem } from "./yaml-problem.ts";
import { isYamlMap, setYamlKey, type YamlMap, type YamlValue } from "./yaml-value.ts";

export interface Conversion<Leaf extends Scalar> {
  readonly leaf: (scalar: Scalar) => Leaf;
  readonly quote: (text: string) => string;
  readonly refusesDuplicates: boolean;
  readonly positions: EntryPositions;
}

/** A value whose maps have typed names as the way through JSON gives it. Throws what Go says of what JSON cannot say. */
export function convertTyped<Leaf extends Scalar>(
  value: YamlValue<Scalar>,
  conversion: Conversion<Leaf>,
): YamlValue<Leaf> {
  const converted = withoutTypes(value, conversion);
  refuseInfinite(value, conversion.positions, undefined);
  return converted;
}

function withoutTypes<Leaf extends Scalar>(value: YamlValue<Scalar>, conversion: Conversion<Leaf>): YamlValue<Leaf> {
  if (Array.isArray(value)) return value.map((item) => withoutTypes(item, conversion));
  if (!isYamlMap(value)) return conversion.leaf(typeof value === "string" ? value.toWellFormed() : value);
  const map: YamlMap<Leaf> = {};
  for (const name of Object.keys(value)) {
    const field = value[name] ?? null;
    const text = keyText(keyOfName(name));
    if (text === undefined) throw unsupportedKey(name, field, value, conversion);
    const key = text.toWellFormed();
    if (conversion.refusesDuplicates && Object.hasOwn(map, key))
      throw new YamlProblem(
        `key ${JSON.stringify(key)} already set in map`,
        "decoder",
        conversion.positions.find(value, name),
      );
    setYamlKey(map, key, withoutTypes(field, conversion));
  }
  return map;
}

function unsupportedKey<Leaf extends Scalar>(
  name: string,
  value: YamlValue<Scalar>,
  map: YamlMap<Scalar>,
  { quote, positions }: Conversion<Leaf>,
): YamlProblem {
  const key = keyOfName(name);
  const type = key === null ? "%!s(<nil>)" : "uint64";
  const shown = value === null ? "<nil>" : goSyntax(value, quote);
  const problem = `unsupported map key of type: ${type}, key: ${key === null ? "<nil>" : goSyntax(key, quote)}, value: ${shown}`;
  return new YamlProblem(problem, "converter", positions.find(map, name));
}

/** JSON is written in the order of its keys. */
function refuseInfinite(value: YamlValue<Scalar>, positions: EntryPositions, position: number | undefined): void {
  if (typeof value === "number" && !Number.isFinite(value)) {
    const text = Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
    throw new YamlProblem(`json: unsupported value: ${text}`, "converter", position);
  }
  if (Array.isArray(value)) {
    for (const [at, item] of value.entries()) refuseInfinite(item, positions, positions.find(value, at));
  } else if (isYamlMap(value)) {
    for (const name of Object.keys(value).toSorted(compareNames))
      refuseInfinite(value[name] ?? null, positions, positions.find(value, name));
  }
}
