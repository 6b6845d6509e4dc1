import { anyJson, anyNumber, keys } from "./any-value.ts";
import { delicate, type Signature, type Sort, signatures, sorts } from "./functions.ts";
import { anyText, constantText } from "./hostile-text.ts";
import { type Node, node, type Part } from "./node.ts";
import { pool, pools } from "./pools.ts";
import type { Random } from "./random.ts";
import { anyYaml } from "./yaml-text.ts";

/** What a template under construction can refer to. */
export interface Scope {
  readonly random: Random;
  readonly functions: keyof typeof signatures;
  readonly variables: readonly string[];
  readonly inRange: boolean;
  /** Whether other templates may be called: one that calls itself without end takes long to fail. */
  readonly mayCall: boolean;
  /** How often something is not as it should be: a template with many faults shows no more than the first. */
  readonly faults: number;
}

/** Fields of the data that are of a sort. */
const fields: Partial<Record<Sort, readonly string[]>> = {
  string: ["$.text"],
  int: ["$.n"],
  number: ["$.n"],
  bool: ["$.flag"],
  list: ["$.list", "$.maps"],
  map: ["$.map", "$"],
  any: ["$.a", "$.b", "$.none", ".", "$", "$.maps", "$.map", "$.list", "$.n"],
};

/** Fields that may or may not be there, or be of any sort. */
const doubtful = pool(
  ".¦.a¦.b¦.text¦.list¦.map¦.n¦.nope¦.map.a¦.map.a.b¦$.map.nope¦.map.list¦$.nope.deeper¦.flag.x¦$.none.x¦(.map).name",
  "nil",
);

/** Sorts whose values can stand in for another's. */
const related: Partial<Record<Sort, readonly Sort[]>> = {
  string: ["string", "json", "yaml", "toml", "url", "path", "base64", "base32", "type"],
  number: ["number", "int"],
  list: ["list", "strings"],
  map: ["map", "fresh"],
  printable: ["string", "int", "number", "bool", "list", "map", "strings", "json", "yaml", "path", "url"],
};

/** Without seconds since 1970, which are too many to repeat something. */
const wrongSorts = sorts.filter((sort) => sort !== "unix");

const printable: readonly Sort[] = ["string", "int", "number", "bool", "list", "map", "strings"];

/** An argument: a constant, a field, a variable, or a call in parentheses; now and then of a wrong sort. */
export function operand(scope: Scope, wanted: Sort, depth: number): Node {
  const { random } = scope;
  const sort = random.chance(scope.faults) ? random.pick(wrongSorts) : wanted;
  if (sort === "printable") return operand(scope, random.pick(printable), depth);
  if (sort === "fresh") return freshMap(scope, depth);
  if (depth > 0 && random.chance(0.45)) {
    const found = findSignature(scope, sort);
    if (found) return node("operand", "(", call(scope, found, depth - 1), ")");
  }
  if (sort === "strings" || sort === "list") {
    if (depth > 0 && random.chance(0.1) && scope.functions !== "go") {
      return node("operand", "(", random.pick(["keys ", "values "]), operand(scope, "map", depth - 1), " | sortAlpha)");
    }
  }
  return node("operand", atom(scope, sort));
}

/** A call without parentheses. */
export function call(given: Scope, signature: Signature, depth: number, piped = false): Node {
  const scope = delicate.has(signature.name) ? { ...given, faults: 0, variables: [] } : given;
  const { random } = scope;
  const wanted = [...signature.parameters];
  const last = wanted.at(-1);
  if (signature.repeats && last) {
    wanted.pop();
    wanted.push(...random.times(random.few(3) + (random.chance(scope.faults) ? 0 : 1), () => last));
  }
  if (random.chance(scope.faults / 4)) wanted.pop();
  if (random.chance(scope.faults / 4)) wanted.push("any");
  if (piped) wanted.pop();
  const parts: Part[] = [signature.name];
  for (const sort of wanted) parts.push(" ", operand(scope, sort, depth));
  return node("call", ...parts);
}

/** A command and the stages it is piped through. */
export function pipeline(scope: Scope, wanted: Sort, depth: number): Node {
  const { random } = scope;
  let sort = wanted;
  const parts: Part[] = [];
  if (random.chance(0.7)) {
    const first = findSignature(scope, wanted) ?? random.pick(signatures[scope.functions]);
    parts.push(call(scope, first, depth - 1));
    sort = first.result;
  } else {
    parts.push(operand(scope, wanted, depth));
  }
  for (let stages = random.few(2); stages > 0; stages--) {
    const next = findStage(scope, random.chance(scope.faults) ? "any" : sort);
    parts.push(node("stage", " | ", call(scope, next, depth - 1, true)));
    sort = next.result;
  }
  return node("root", ...parts);
}

/** A function whose last argument may be of a sort. */
function findStage({ random, functions }: Scope, sort: Sort): Signature {
  const fitting = memoize(`${functions} | ${sort}`, () =>
    signatures[functions].filter(({ name, parameters }) => {
      const last = parameters.at(-1) ?? "any";
      return last === "any" || (related[last] ?? [last]).includes(sort) || (sort === "any" && !delicate.has(name));
    }),
  );
  return random.pick(fitting);
}

function findSignature({ random, functions }: Scope, sort: Sort): Signature | undefined {
  if (sort === "any") return random.pick(signatures[functions]);
  const fitting = memoize(`${functions} ${sort}`, () =>
    signatures[functions].filter(({ result }) => (related[sort] ?? [sort]).includes(result)),
  );
  return fitting.length === 0 ? undefined : random.pick(fitting);
}

const found = new Map<string, readonly Signature[]>();

function memoize(key: string, find: () => readonly Signature[]): readonly Signature[] {
  const known = found.get(key) ?? find();
  found.set(key, known);
  return known;
}

function freshMap(scope: Scope, depth: number): Node {
  const { random } = scope;
  if (scope.functions !== "go" && random.chance(0.5)) return node("operand", "(deepCopy ", atom(scope, "map"), ")");
  const entries = random.times(random.few(2), () => [" ", atom(scope, "key"), " ", operand(scope, "any", depth - 1)]);
  return node("operand", "(dict", ...entries.flat(), ")");
}

function atom(scope: Scope, sort: Sort): string {
  const { random, variables } = scope;
  if (sort === "name" && !scope.mayCall) return '"nope"';
  if (variables.length > 0 && random.chance(sort === "any" ? 0.3 : scope.faults)) return random.pick(variables);
  if (random.chance(scope.faults)) return random.pick(doubtful);
  const places = fields[sort];
  const isMadeByFunctions = sort === "list" || sort === "map";
  if (places && (random.chance(0.6) || (isMadeByFunctions && scope.functions === "go"))) return random.pick(places);
  return constant(random, sort);
}

function constant(random: Random, sort: Sort): string {
  const write = constants[sort];
  if (write) return write(random);
  const texts = pools[sort];
  if (texts && random.chance(0.95)) return constantText(random, random.pick(texts));
  return random.chance(0.02) ? "nil" : constantText(random, anyText(random));
}

/** How constants of a sort are written, for sorts that are not arbitrary strings. */
const constants: Partial<Record<Sort, (random: Random) => string>> = {
  int: (random) => `${random.below(14)}`,
  count: (random) => (random.chance(0.9) ? `${random.below(14)}` : random.pick(["-1", "-3", "0", "1.0", "100"])),
  index: (random) => (random.chance(0.7) ? `${random.below(3)}` : `${random.below(9) - 3}`),
  number: (random) => (random.chance(0.8) ? anyNumber(random) : random.pick(oddNumbers)),
  bool: (random) => random.pick(["true", "false"]),
  key: (random) => constantText(random, random.chance(0.9) ? random.pick(keys) : anyText(random)),
  json: (random) => constantText(random, random.chance(0.9) ? anyJson(random, 2) : anyText(random)),
  yaml: (random) => constantText(random, anyYaml(random)),
  format: (random) => constantText(random, anyFormat(random)),
  time: (random) => random.pick(times),
  unix: (random) => random.pick(["0", "1600000000", "-1", "253402300799"]),
  list: (random) => random.pick(["(list)", '(list 1 "a")', "(until 3)", '(splitList "," "b,a,c")', "(list nil)"]),
  strings: (random) => random.pick(['(splitList "," "b,a,c")', '(list "x" "y")', "(list)"]),
  map: (random) => random.pick(["(dict)", '(dict "a" 1 "b" (dict "c" "d"))', '(dict "name" nil)']),
  any: (random) => constant(random, random.pick(["string", "int", "number", "bool", "key"] as const)),
};

const oddNumbers = ["0x1F", "1_000", "'a'", "0b11", "1e3", "0o17", '"12"'];

const times = [
  '(toDate "2006-01-02" "2020-02-29")',
  '(toDate "2006-01-02T15:04:05Z07:00" "2021-06-01T12:34:56.789+02:00")',
  '(toDate "2006-01-02 15:04:05" "1999-12-31 23:59:59")',
  '(toDate "2006-01-02" "bad")',
  '(toDate "15:04" "07:08")',
];

const flagCharacters = "+-# 0".split("");
const verbs = "vvvvsdqxXfgeEGtTcUbo%".split("");

function anyFormat(random: Random): string {
  const verb = () => {
    const flags = random.times(random.few(2), () => random.pick(flagCharacters)).join("");
    const width = random.chance(0.3) ? `${random.below(12)}` : "";
    const precision = random.chance(0.3) ? `.${random.below(6)}` : "";
    return `%${flags}${width}${precision}${random.pick(verbs)}`;
  };
  return random.times(1 + random.few(3), () => verb() + random.pick(["", " ", "|", "é"])).join("");
}
