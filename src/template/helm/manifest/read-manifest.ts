import { isJsonObject, type JsonValue } from "#base";
import { parseYamlDocuments, readFirstYamlDocument, YamlProblem } from "#yaml";
import { ChartError } from "../chart-error.ts";
import type { Manifest } from "./manifest.ts";
import { HeadError, type ManifestHead, readHead } from "./manifest-head.ts";

const noHead: ManifestHead = { kind: "", name: "", annotations: undefined };

/** Reads a document as `readFirstYamlDocument` does, which is the default. */
export type ReadDocument = (text: string) => JsonValue;

/** Parses one document that a template rendered. */
export function readManifest(
  source: string,
  text: string,
  read: ReadDocument = readFirstYamlDocument,
): { readonly manifest: Manifest; readonly head: ManifestHead } {
  const object = parse(source, text, read);
  if (object === null) return { manifest: { source, text, object: undefined }, head: noHead };
  const head = headOf(source, object);
  return { manifest: { source, text, object: isJsonObject(object) ? object : undefined }, head };
}

function headOf(source: string, object: JsonValue): ManifestHead {
  try {
    return readHead(object);
  } catch (error) {
    throw error instanceof HeadError ? refuse(source, error.message, error.helm) : error;
  }
}

function parse(source: string, text: string, read: ReadDocument): JsonValue {
  try {
    return read(text);
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
