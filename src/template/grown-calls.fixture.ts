import { parentPort, workerData } from "node:worker_threads";
import {
  Budget,
  type FunctionSet,
  type GoFunction,
  type GoValue,
  int,
  isGoObject,
  newMap,
  tenantLimits,
} from "#golang";
import { builtins, TemplateError, TemplateSet } from "./go-template/index.ts";
import { helmFunctions } from "./helm/engine/helm-functions.ts";
import { contextOf } from "./helm/engine/rendering.ts";
import { plugFunctions, sprigFunctions } from "./sprig/index.ts";

/** One call of a template function with large arguments: the steps that it was charged, or why it was refused. */
export interface GrownCall {
  readonly set: string;
  readonly name: string;
  readonly shape: string;
  /** The characters, elements and keys of its arguments. */
  readonly size: number;
  readonly steps: number;
  readonly problem: string | undefined;
}

const sets: Readonly<Record<string, FunctionSet>> = {
  builtins: builtins(),
  sprig: sprigFunctions,
  plug: besidesSprig(plugFunctions),
  helm: besidesSprig(helmFunctions),
};

function besidesSprig(functions: FunctionSet): FunctionSet {
  return new Map([...functions].filter(([name, known]) => sprigFunctions.get(name) !== known));
}

const namesOf: Record<number, string[]> = {};

/** Texts and lists of so many characters and elements. */
const shapes: Readonly<Record<string, (size: number) => NonNullable<GoValue>>> = {
  letters: (size) => "a".repeat(size),
  digits: (size) => `${"1".repeat(size)}x`,
  spaces: (size) => `a${" ".repeat(size)}x`,
  lines: (size) => `${"\n".repeat(size)}x`,
  words: (size) => "1a ,-/.:".repeat(size / 8),
  dates: (size) => "5.".repeat(size / 2),
  list: (size) => names(size),
  // Anew for each function, because some change it.
  map: (size) => newMap(names(size / 4).map((name) => [name, "x"])),
};

function names(count: number): string[] {
  return (namesOf[count] ??= Array.from({ length: count }, (_, index) => `a${index}`));
}

const samples: Readonly<Record<string, NonNullable<GoValue>>> = {
  string: "a",
  any: "a",
  reflect: "a",
  bool: true,
  float64: 1.5,
  "[]string": ["a"],
  "[]any": ["a"],
  "map[string]any": newMap([["a", "x"]]),
};

/** One large argument after the other, then all at once, then as many as a variadic function might get. */
function argumentsFor({ parameters, variadic }: GoFunction, large: NonNullable<GoValue>): GoValue[][] {
  const small = parameters.map((type) => samples[type] ?? int(3));
  const each = parameters.map((_, index) => small.toSpliced(index, 1, large));
  const all = [parameters.map((type, index) => (type.includes("int") ? small[index] : large))];
  const more = variadic && Array.isArray(large) ? [[...small.slice(0, -1), ...large.slice(0, 2_000)]] : [];
  return [...each, ...(parameters.length > 1 ? all : []), ...more];
}

function sizeOf(value: GoValue): number {
  if (typeof value === "string" || Array.isArray(value)) return value.length;
  return isGoObject(value) ? Object.keys(value).length : 0;
}

function callOnce(set: string, name: string, shape: string, args: readonly GoValue[]): GrownCall {
  const templates = new TemplateSet({ functions: sets[set] ?? new Map() });
  const data = newMap(args.map((arg, index) => [`a${index}`, arg]));
  const budget = new Budget(tenantLimits);
  const rendering = { name: "t", templates, included: new Map(), lookup: () => newMap() };
  const size = args.map(sizeOf).reduce((sum, each) => sum + each, 0);
  const result = { set, name, shape, size };
  try {
    const text = `{{ $_ := ${name} ${args.map((_, index) => `.a${index}`).join(" ")} }}`;
    templates.parse("t", text).execute(data, { context: contextOf(rendering, { budget, now: () => 0 }) });
    return { ...result, steps: budget.steps, problem: undefined };
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return { ...result, steps: budget.steps, problem: error.message.slice(-200) };
  }
}

const { size }: { readonly size: number } = workerData;
for (const [shape, grow] of Object.entries(shapes)) {
  for (const [set, functions] of Object.entries(sets)) {
    for (const [name, known] of functions) {
      // What hangs is the last that was said.
      parentPort?.postMessage(`${name} of ${set} with ${shape}`);
      for (const args of argumentsFor(known, grow(size))) {
        parentPort?.postMessage(callOnce(set, name, shape, args));
      }
    }
  }
}
