import type { JsonObject, JsonValue } from "#base";
import type { Random } from "../random.ts";

const scalars: readonly JsonValue[] = [
  "web",
  "",
  "a b",
  "yes",
  "012",
  "x: y",
  "1.10",
  "é☃",
  "two\nlines\n",
  "{{ .Release.Name }}",
  "#no",
  "null",
  "-",
  "tru",
  0,
  1,
  3,
  -2,
  2.5,
  1e6,
  1e21,
  123456789012,
  true,
  false,
  null,
];

const texts: readonly string[] = [
  "plain",
  "{{ .Release.Name }}",
  "{{ .Values.name }}",
  '{{ include "common.name" . }}',
  "{{ .Chart.Name }}-{{ .Template.Name }}",
  "{{ .Values.nested | toJson }}",
  "{{ .Values.nope }}",
];

const words: readonly string[] = ["a", "b", "c", "app", "tier", "x.y/z", "Upper", "10", "2"];

/** The values of a chart, or some that a user gives: mostly of the types that templates expect. Subcharts are named. */
export function anyValues(random: Random, subcharts: readonly string[]): JsonObject {
  const values: Record<string, JsonValue> = {};
  const fields: Readonly<Record<string, () => JsonValue>> = {
    name: () => random.pick(scalars),
    replicas: () => random.pick<JsonValue>([0, 1, 3, "2", null]),
    enabled: () => random.pick<JsonValue>([true, true, false, "yes", null]),
    text: () => random.pick(texts),
    labels: () => anyMap(random, 0),
    list: () => random.times(random.few(4), () => random.pick(scalars)),
    items: () => random.times(random.few(3), () => ({ name: random.pick(words), value: random.pick(scalars) })),
    nested: () => ({ a: anyMap(random, 1), b: random.pick(scalars) }),
    exports: () => ({ data: anyMap(random, 1) }),
    global: () => ({ ...anyMap(random, 1), region: random.pick(scalars) }),
    tags: () => ({ front: random.chance(0.5), back: random.chance(0.5) }),
  };
  for (const [name, make] of Object.entries(fields)) {
    if (random.chance(0.5)) values[name] = random.chance(0.004) ? random.pick([null, "text", 5, []]) : make();
  }
  for (const name of subcharts) {
    if (random.chance(0.6))
      values[name] = random.chance(0.01) ? random.pick([null, "text", {}]) : anyValues(random, []);
  }
  return values;
}

function anyMap(random: Random, depth: number): JsonObject {
  const entries = random.times(random.few(4), () => {
    return [
      random.pick(words),
      depth > 0 && random.chance(0.3) ? anyMap(random, depth - 1) : random.pick(scalars),
    ] as const;
  });
  return Object.fromEntries(entries);
}

/** Lines as `--set` takes them. */
export function anySetLine(random: Random, subcharts: readonly string[]): string {
  const path = random.pick([
    "name",
    "replicas",
    "enabled",
    "nested.a.b",
    "nested.b",
    "labels.app",
    "list[1]",
    "items[0].value",
    "list",
    "global.region",
    "tags.front",
  ]);
  const owner = subcharts.length > 0 && random.chance(0.4) ? `${random.pick(subcharts)}.` : "";
  return `${owner}${path}=${random.pick(["x", "1", "true", "null", "", "a\\,b", "{a,b}", "007", "1e3", "-"])}`;
}
