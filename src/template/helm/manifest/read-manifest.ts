import { isJsonObject, type JsonValue, parseYamlDocuments, readFirstYamlDocument, YamlProblem } from "#base";
import { ChartError } from "../chart-error.ts";
import type { Manifest } from "./manifest.ts";
import { HeadError, type ManifestHead, readHead } from "./manifest-head.ts";

const noHead: ManifestHead = { kind: "", name: "", annotations: undefined };

/** Parses one document that a template rendered. */
export function readManifest(
  source: string,
  text: string,
): { readonly manifest: Manifest; readonly head: ManifestHead } {
  const object = parse(source, text);
  if (object === null) return { manifest: { source, text, object: undefined }, head: noHead };
  if (!isJsonObject(object))
    throw refuse(source, "what is rendered is not an object, but a list or a single value", "");
  try {
    return { manifest: { source, text, object }, head: readHead(object) };
  } catch (error) {
    throw error instanceof HeadError ? refuse(source, `of what is rendered, ${error.message}`, error.message) : error;
  }
}

function parse(source: string, text: string): JsonValue {
  try {
    return readFirstYamlDocument(text);
  } catch (error) {
    if (!(error instanceof YamlProblem)) throw error;
    const helm = `error converting YAML to JSON: ${error.message}`;
    explain(source, text, helm);
    throw refuse(source, error.message, helm);
  }
}

/** The other reader says more about what it refuses. */
function explain(source: string, text: string, helm: string): void {
  try {
    parseYamlDocuments(text, { file: `${source} (rendered)`, duplicateKeys: "last-wins" });
  } catch (error) {
    throw refuse(source, error instanceof Error ? error.message : String(error), helm);
  }
}

function refuse(source: string, what: string, helm: string): ChartError {
  return new ChartError(what, { where: source, helmMessage: `YAML parse error on ${source}: ${helm}` });
}
