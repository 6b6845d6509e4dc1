import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { InputError, isJsonObject, type JsonObject } from "#base";
import { parseYamlDocuments } from "#yaml";
import {
  type Capabilities,
  defaultCapabilities,
  isTemplate,
  loadChart,
  type ChartManifest,
  mergeValueSources,
  parseKubeVersion,
  processTemplate,
  readReleaseText,
  releaseText,
  renderChart,
  selectionText,
  selectTemplates,
  type SourcedText,
} from "#template";
import type { RenderChoice } from "./chart-commands.ts";
import type { Shell } from "../shell.ts";
import { printDocument } from "../terminal/print-rows.ts";
import { toYaml } from "#golang";
import { setFlagsFromString } from "node:v8";

/** A document, with the objects in it. */
interface RenderedDocument extends SourcedText {
  readonly objects: readonly JsonObject[];
}

/** The rendered chart: the text to print, and its documents in the same order. */
interface Rendered {
  readonly text: string;
  readonly documents: readonly RenderedDocument[];
}

/** Renders a chart and prints it. */
export async function printChart(chart: string, choice: RenderChoice, shell: Shell): Promise<void> {
  const rendered =
    choice.renderer === "helm" ? await byHelm(chart, choice, shell) : await byTenon(chart, choice, shell);
  const { param, showOnly, output } = choice;
  const selected = showOnly.length > 0 ? selectTemplates(rendered.documents, showOnly) : undefined;
  const documents = selected ?? rendered.documents;
  const processed = param.length > 0 ? processParameters(documents, param) : undefined;
  if (output === "json") {
    const items = (processed ?? documents).flatMap(({ objects }) => objects);
    await printDocument({ apiVersion: "v1", kind: "List", items }, "json", shell);
  } else if (processed ?? selected) shell.stdout.write(selectionText(processed ?? selected ?? []));
  else shell.stdout.write(rendered.text);
}

async function byTenon(path: string, choice: RenderChoice, shell: Shell): Promise<Rendered> {
  const files = await Promise.all(choice.values.map((name) => readValues(name, shell)));
  const { set, setString, setJson, setFile, setLiteral } = choice;
  const rendered = runUnoptimized(() => {
    const sources = { files, set, setString, setJson, setFile, setLiteral };
    const given = mergeValueSources(sources, (name) => readText(name, "--set-file"));
    return renderChart(loadChart(path), {
      ...given,
      release: { name: choice.name, namespace: choice.namespace, isUpgrade: choice.isUpgrade },
      capabilities: capabilitiesOf(choice),
      skipSchemaValidation: choice.skipSchemaValidation,
    });
  });
  for (const warning of rendered.warnings) shell.stderr.write(`warning: ${warning}\n`);
  const parts = {
    crds: choice.includeCrds ? rendered.crds : [],
    manifests: rendered.manifests.map(documentOf),
    hooks: rendered.hooks
      .filter(({ events }) => choice.hooks && !(choice.skipTests && events.includes("test")))
      .map(documentOf),
  };
  return { text: releaseText(parts), documents: [...parts.crds, ...parts.manifests, ...parts.hooks] };
}

function documentOf({ source, text: content, object }: ChartManifest): RenderedDocument {
  return { source, text: content, objects: object ? [object] : [] };
}

async function byHelm(chart: string, choice: RenderChoice, shell: Shell): Promise<Rendered> {
  const { runHelm } = await import("./run-helm.ts");
  const printed = await runHelm(chart, choice, shell);
  return {
    text: printed,
    documents: readReleaseText(printed).map(({ source, text: content }) => {
      const documents = parseYamlDocuments(content, { file: source, duplicateKeys: "last-wins" });
      return {
        source,
        text: content,
        objects: documents.map(({ value }) => value).filter((value) => isJsonObject(value)),
      };
    }),
  };
}

function capabilitiesOf({ kubeVersion, apiVersions }: RenderChoice): Capabilities {
  const more = apiVersions.flatMap((versions) => versions.split(","));
  return {
    kubeVersion: kubeVersion === undefined ? defaultCapabilities.kubeVersion : parseKubeVersion(kubeVersion),
    apiVersions: [...defaultCapabilities.apiVersions, ...more],
  };
}

async function readValues(name: string, shell: Shell): Promise<{ name: string; text: string }> {
  if (name.trim() === "-") return { name: "standard input", text: await text(shell.stdin) };
  if (/^https?:\/\//.test(name)) {
    throw new InputError("values files are not downloaded", {
      where: name,
      next: `pipe them: curl -s ${name} | tenon chart render … -f -`,
    });
  }
  return { name, text: readText(name, "--values") };
}

function readText(path: string, option: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw new InputError("cannot read the file", { where: `${option} ${path}`, next: "check the path", cause });
  }
}

/** Replaces OpenShift templates among the documents with their objects, with parameters filled in. */
function processParameters(documents: readonly RenderedDocument[], given: readonly string[]): RenderedDocument[] {
  const parameters = Object.fromEntries(given.map(readParameter));
  return documents.flatMap((document) => {
    const { source, objects } = document;
    if (!objects.some(isTemplate)) return [document];
    const processed = objects.flatMap((object) =>
      isTemplate(object) ? processTemplate(object, { parameters, where: source }).objects : [object],
    );
    return processed.map((object) => ({ source, text: toYaml(object), objects: [object] }));
  });
}

function readParameter(given: string): [name: string, value: string] {
  const at = given.indexOf("=");
  if (at > 0) return [given.slice(0, at), given.slice(at + 1)];
  throw new InputError(`expected NAME=value, got ${JSON.stringify(given)}`, { where: "--param" });
}

/**
 * For work that ends before optimized code pays off: V8 spends as much processor time on compiling hot functions, on other threads, as
 * it saves. Rendering 500 integrations, start included, takes 290 ms without its last compiler and 350 ms with it. Not for work that
 * takes more than about a second.
 */
function runUnoptimized<Result>(act: () => Result): Result {
  setFlagsFromString("--no-opt");
  try {
    return act();
  } finally {
    setFlagsFromString("--opt");
  }
}
