import { glob, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { load } from "js-yaml";
import { z } from "zod";
import type { TemplateRequest } from "./requests.ts";

const Text = z.union([z.string(), z.strictObject({ $bytes: z.string() })]);

const FunctionSetName = z.enum(["go", "sprig", "plug", "helm"]);

const Settings = z.strictObject({
  data: z.unknown().optional(),
  json: z.string().optional(),
  numbers: z.enum(["float64", "int64", "number"]).optional(),
  functions: z.union([FunctionSetName, z.array(FunctionSetName)]).optional(),
  left: z.string().optional(),
  right: z.string().optional(),
  missingKey: z.enum(["default", "zero", "error"]).optional(),
  text: z.enum(["exact", "any"]).optional(),
});

const CorpusCase = Settings.extend({
  name: z.string(),
  template: Text.optional(),
  templates: z.record(z.string(), Text).optional(),
  entry: z.string().optional(),
});

const CorpusFile = z.strictObject({ defaults: Settings.optional(), cases: z.array(CorpusCase) });

/** One case of the corpus: a question to Go and to us. */
export interface Case {
  readonly name: string;
  readonly request: TemplateRequest;
  /** Whether the text of an execution error counts, or only that there is one; parse errors always count. */
  readonly text: "exact" | "any";
}

const directory = join(import.meta.dirname, "corpus");

/** The topics of the corpus, each a file of cases. */
export async function corpusTopics(): Promise<string[]> {
  const files = await Array.fromAsync(glob("*.yaml", { cwd: directory }));
  return files.map((file) => basename(file, ".yaml")).toSorted();
}

/** The cases of a topic, whose names are unique in it. */
export async function readCorpus(topic: string): Promise<Case[]> {
  const file = CorpusFile.parse(load(await readFile(join(directory, `${topic}.yaml`), "utf8")));
  const names = new Set<string>();
  const cases = file.cases.flatMap(({ functions = file.defaults?.functions, ...given }) => {
    if (!Array.isArray(functions)) return { ...given, functions };
    return functions.map((set) => ({ ...given, functions: set, name: `${given.name} (${set})` }));
  });
  return cases.map((given) => {
    const { name, template, templates, entry, text, ...settings } = { ...file.defaults, ...given };
    if (names.has(name)) throw new Error(`corpus/${topic}.yaml has two cases ${JSON.stringify(name)}`);
    names.add(name);
    const texts = templates ?? { [entry ?? "t"]: template ?? "" };
    const first = entry ?? Object.keys(texts)[0] ?? "t";
    return { name, text: text ?? "any", request: { op: "template", templates: texts, entry: first, ...settings } };
  });
}
