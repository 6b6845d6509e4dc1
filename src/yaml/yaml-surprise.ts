import type { FieldPath } from "#base";
import { takeDocuments } from "./read-yaml.ts";
import { isPyyamlTimestamp, resolvePyyamlPlain } from "./resolve-pyyaml.ts";
import { exactScalar, plainScalar, resolvePlain, type Scalar, WholeFloat } from "./resolve-scalar.ts";
import { YamlProblem } from "./yaml-problem.ts";
import { isYamlMap, type YamlMap, type YamlValue } from "./yaml-value.ts";

/**
 * Why a value may not be what its author meant:
 * - `text`: PyYAML reads a text, and kubectl and Helm something else: `1e3`, `y`;
 * - `date`: PyYAML reads a date, which JSON does not have;
 * - `number`, `boolean`: written otherwise than it is printed: `1.10`, `012`, `yes`;
 * - `duplicate`: the key comes twice, and the last value counts.
 */
export type SurpriseKind = "text" | "date" | "number" | "boolean" | "duplicate";

export interface YamlSurprise {
  readonly at: FieldPath;
  readonly kind: SurpriseKind;
  /** As in the file; a duplicate's key. */
  readonly written: string;
  /** What it is read as. */
  readonly value: null | boolean | number | string;
}

/** Why a plain scalar that PyYAML reads as `scalar` may surprise, if it may. */
function surpriseOf(written: string, scalar: Scalar): SurpriseKind | undefined {
  if (typeof scalar === "string") {
    if (isPyyamlTimestamp(written)) return "date";
    return typeof resolvePlain(written) === "string" ? undefined : "text";
  }
  if (scalar === null) return undefined;
  if (typeof scalar === "boolean") return /^(?:yes|no|on|off)$/i.test(written) ? "boolean" : undefined;
  return String(plainScalar(scalar)) === written ? undefined : "number";
}

/** Reads plain scalars as PyYAML does, and calls `notify` at each that may surprise. */
export function surpriseNoticer(notify: () => void): (text: string) => Scalar {
  return (written) => {
    const scalar = resolvePyyamlPlain(written);
    if (surpriseOf(written, scalar) !== undefined) notify();
    return scalar;
  };
}

/** A scalar that may surprise. Whatever takes apart values takes it for a leaf. */
class SurprisingScalar extends WholeFloat {
  readonly surprise: Omit<YamlSurprise, "at">;

  constructor(surprise: Omit<YamlSurprise, "at">) {
    super(0);
    this.surprise = surprise;
  }
}

/** The values of a text that may not be what its author meant. Reads the text anew and slowly, so it is for texts that have some. */
export function findYamlSurprises(text: string): readonly YamlSurprise[] {
  const duplicates = new Map<YamlMap<Scalar>, Set<string>>();
  try {
    const [document] = takeDocuments(text, {
      library: "pyyaml",
      leaf: exactScalar,
      resolvePlain(written) {
        const scalar = resolvePyyamlPlain(written);
        const kind = surpriseOf(written, scalar);
        return kind === undefined ? scalar : new SurprisingScalar({ kind, written, value: plainScalar(scalar) });
      },
      onDuplicate: (map, name) => duplicates.set(map, (duplicates.get(map) ?? new Set()).add(name)),
    });
    return document ? collect(document.value, duplicates) : [];
  } catch (error) {
    if (error instanceof YamlProblem) return [];
    throw error;
  }
}

function collect(
  root: YamlValue<Scalar>,
  duplicates: ReadonlyMap<YamlMap<Scalar>, ReadonlySet<string>>,
): YamlSurprise[] {
  const found: YamlSurprise[] = [];
  function visit(value: YamlValue<Scalar>, at: FieldPath): void {
    if (value instanceof SurprisingScalar) found.push({ at, ...value.surprise });
    else if (Array.isArray(value)) for (const [index, item] of value.entries()) visit(item, [...at, index]);
    else if (isYamlMap(value)) visitMap(value, at);
  }
  function visitMap(map: YamlMap<Scalar>, at: FieldPath): void {
    for (const name of duplicates.get(map) ?? [])
      found.push({ at: [...at, name], kind: "duplicate", written: name, value: name });
    for (const [name, field] of Object.entries(map)) visit(field, [...at, name]);
  }
  visit(root, []);
  return found;
}
