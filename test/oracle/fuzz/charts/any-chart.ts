import { type JsonObject, type JsonValue } from "#base";
import { toYaml } from "#golang";
import type { Random } from "../random.ts";
import type { RenderingOptions } from "../../../charts/renderings.ts";
import { anyHelpers, anyNotes, anyTemplate } from "./any-template.ts";
import { anySetLine, anyValues } from "./any-values.ts";

/** A generated chart, and how to render it. */
export interface ChartQuestion {
  /** Texts by path. */
  readonly files: Readonly<Record<string, string>>;
  readonly options: RenderingOptions;
}

const names = ["alpha", "beta", "gamma-1", "delta"];

export function anyChartQuestion(random: Random): ChartQuestion {
  const files: Record<string, string> = {};
  const subcharts = addChart(random, files, "", "main", 2);
  return { files, options: anyOptions(random, subcharts) };
}

function anyOptions(random: Random, subcharts: readonly string[]): RenderingOptions {
  return {
    values: random.times(random.few(2), () => `${toYaml(anyValues(random, subcharts))}\n`),
    set: random.times(random.few(2), () => anySetLine(random, subcharts)),
    ...(random.chance(0.2) && { setString: [anySetLine(random, subcharts)] }),
    ...(random.chance(0.3) && { release: { name: "prod", namespace: "shop", isUpgrade: random.chance(0.5) } }),
    ...(random.chance(0.2) && { kubeVersion: random.pick(["1.24", "v1.31.2", "1.27.0-gke.1"]) }),
    ...(random.chance(0.2) && { includeCrds: true }),
    ...(random.chance(0.1) && { skipTests: true }),
    ...(random.chance(0.1) && { noHooks: true }),
  };
}

/** Adds the files of a chart and of its subcharts, and tells the names that values know those by. */
function addChart(
  random: Random,
  files: Record<string, string>,
  folder: string,
  name: string,
  depth: number,
): string[] {
  const subcharts = depth > 0 ? names.filter(() => random.chance(depth > 1 ? 0.45 : 0.2)) : [];
  for (const subchart of subcharts) addChart(random, files, `${folder}charts/${subchart}/`, subchart, depth - 1);
  const dependencies = subcharts
    .filter(() => random.chance(0.85))
    .flatMap((subchart) => anyDependencies(random, subchart));
  if (random.chance(0.005)) dependencies.push({ name: "absent", version: "1.0.0" });
  const known = [...subcharts, ...dependencies.flatMap(({ alias }) => (typeof alias === "string" ? [alias] : []))];
  const isOld = random.chance(0.1);
  const listed = dependencies.length > 0 ? { dependencies } : {};
  files[`${folder}Chart.yaml`] = toYaml({
    apiVersion: isOld ? "v1" : "v2",
    name,
    version: random.pick(["1.0.0", "0.1.0-rc.1", "1.2.3+build.5"]),
    ...(random.chance(0.5) && { appVersion: random.pick(["2.0", "latest"]) }),
    ...(random.chance(0.1) && { kubeVersion: random.pick([">=1.20-0", ">=1.20-0", ">=1.20-0", ">=1.30.0"]) }),
    ...(depth < 2 && random.chance(0.15) && { type: "library" }),
    ...(random.chance(0.2) && {
      description: "made by chance",
      keywords: ["a"],
      maintainers: [{ name: "m", email: "e" }],
    }),
    ...(random.chance(0.1) && { annotations: { a: "b" } }),
    ...(isOld ? {} : listed),
  });
  if (isOld && dependencies.length > 0) files[`${folder}requirements.yaml`] = toYaml(listed);
  if (random.chance(0.9)) files[`${folder}values.yaml`] = `${toYaml(anyValues(random, known))}\n`;
  addTemplates(random, files, folder, name, known);
  return known;
}

function addTemplates(
  random: Random,
  files: Record<string, string>,
  folder: string,
  name: string,
  known: readonly string[],
): void {
  const add = (path: string, text: string) => {
    files[`${folder}${path}`] = text;
  };
  add("templates/_helpers.tpl", anyHelpers(random, name, known));
  for (const file of ["a.yaml", "b.yaml", "nested/c.yaml", "tests/t.yaml"]) {
    if (random.chance(0.5)) add(`templates/${file}`, anyTemplate(random, name, known));
  }
  if (random.chance(0.5)) add("templates/NOTES.txt", anyNotes(random, name, known));
  if (random.chance(0.3)) add("files/a.txt", random.pick(["one\ntwo\n", "no end", "", "{{ .Values.x }}\n"]));
  if (random.chance(0.2)) add("files/b.json", '{"a": [1, 2]}');
  // Helm takes subcharts that Chart.yaml does not list in any order: what CRDs of theirs come first is chance.
  if (folder === "" && random.chance(0.2))
    add(
      "crds/crd.yaml",
      "kind: CustomResourceDefinition\nmetadata: { name: c }\n---\nkind: CustomResourceDefinition\n",
    );
}

/** Entries for a subchart; two, where it is used by another name as well. */
function anyDependencies(random: Random, name: string): JsonObject[] {
  const entry: Record<string, JsonValue> = {
    name,
    version: random.pick([">=0.0.0-0", "*", "1.x", "~1.2", "^0.1.0-0"]),
  };
  if (random.chance(0.4))
    entry["condition"] = random.pick([
      `${name}.enabled`,
      `${name}.enabled,global.region`,
      "enabled",
      "nested.b",
      "nope.x",
    ]);
  if (random.chance(0.3)) entry["tags"] = random.pick([["front"], ["back"], ["front", "back"]]);
  if (random.chance(0.3))
    entry["import-values"] = random.pick<JsonValue>([
      ["data"],
      [{ child: "nested.a", parent: "labels" }],
      [{ child: "exports.data", parent: "nested.a" }, "data"],
      ["nope"],
    ]);
  if (random.chance(0.15)) entry["alias"] = `${name}-too`;
  return random.chance(0.1) ? [entry, { ...entry, alias: `${name}-twice` }] : [entry];
}
