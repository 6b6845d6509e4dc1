import { isJsonObject, type JsonObject, type JsonValue } from "#base";
import { formatShortest } from "#golang";
import { parseYamlDocuments, readFirstYamlDocument, YamlProblem } from "#yaml";
import { ChartError } from "../chart-error.ts";

/** One document that a chart rendered. */
export interface ChartManifest {
  /** The template it comes from: `chart/templates/deployment.yaml`. */
  readonly source: string;
  /** The document as it was rendered, without `---`. */
  readonly text: string;
  /** The parsed content; `undefined` if there are only comments. */
  readonly object: JsonObject | undefined;
}

export type HookEvent =
  | "pre-install"
  | "post-install"
  | "pre-delete"
  | "post-delete"
  | "pre-upgrade"
  | "post-upgrade"
  | "pre-rollback"
  | "post-rollback"
  | "test";

/** A document with the annotation `helm.sh/hook`, which runs at certain events and is not part of the release. */
export interface Hook extends ChartManifest {
  readonly name: string;
  readonly kind: string;
  readonly events: readonly HookEvent[];
  readonly weight: number;
  readonly deletePolicies: readonly string[];
  readonly outputLogPolicies: readonly string[];
}

const noHead: ManifestHead = { kind: "", name: "", annotations: undefined };

/** Reads a document as `readFirstYamlDocument` does, which is the default. */
export type ReadDocument = (text: string) => JsonValue;

/** Parses one document that a template rendered. */
export function readManifest(
  source: string,
  text: string,
  read: ReadDocument = readFirstYamlDocument,
): { readonly manifest: ChartManifest; readonly head: ManifestHead } {
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

/** Throws the more detailed error of the slower reader. */
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

/** The fields of a document that Helm reads. */
export interface ManifestHead {
  readonly kind: string;
  readonly name: string;
  readonly annotations: ReadonlyMap<string, string> | undefined;
}

/** A field has a type that Helm does not accept there. */
class HeadError extends Error {
  override readonly name = "HeadError";
  /** Helm's error text. */
  readonly helm: string;

  constructor(message: string, value: JsonValue, place: string, type: string) {
    super(message);
    this.helm = `error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${jsonKind(value)} into Go ${place} of type ${type}`;
  }
}

function jsonKind(value: JsonValue): string {
  if (Array.isArray(value)) return "array";
  return typeof value === "boolean" ? "bool" : typeof value;
}

const metadataType = 'struct { Name string "json:\\"name\\""; Annotations map[string]string "json:\\"annotations\\"" }';

/** Reads the head as Go fills a struct: names in any case, numbers and booleans as text; other types are refused. */
function readHead(object: JsonValue): ManifestHead {
  if (!isJsonObject(object))
    throw new HeadError("expected a rendered document to be a map", object, "value", "releaseutil.SimpleHead");
  scalarText(field(object, "apiVersion"), "apiVersion", "SimpleHead.apiVersion");
  const kind = scalarText(field(object, "kind"), "kind", "SimpleHead.kind");
  const metadata = field(object, "metadata") ?? null;
  if (metadata === null) return { kind, name: "", annotations: undefined };
  if (!isJsonObject(metadata))
    throw new HeadError(
      "expected metadata of a rendered document to be a map",
      metadata,
      "struct field SimpleHead.metadata",
      metadataType,
    );
  const annotations = annotationsOf(metadata);
  return { kind, name: scalarText(field(metadata, "name"), "metadata.name", ".metadata.name"), annotations };
}

function annotationsOf(metadata: JsonObject): ReadonlyMap<string, string> | undefined {
  const annotations = field(metadata, "annotations") ?? null;
  if (annotations === null) return undefined;
  const place = ".metadata.annotations";
  if (!isJsonObject(annotations)) {
    const type = "map[string]string";
    throw new HeadError(
      "expected metadata.annotations of a rendered document to be a map",
      annotations,
      `struct field ${place}`,
      type,
    );
  }
  return new Map(
    Object.entries(annotations).map(([key, value]) => [
      key,
      scalarText(value, `metadata.annotations[${JSON.stringify(key)}]`, place),
    ]),
  );
}

/** Of names that differ only in case, the last one counts in Go: the one with the most lower-case letters. */
function field(object: JsonObject, name: string): JsonValue | undefined {
  if (Object.hasOwn(object, name)) return object[name];
  const lowered = name.toLowerCase();
  const key = Object.keys(object)
    .filter((other) => other.length === name.length && other.toLowerCase() === lowered)
    .toSorted()
    .at(-1);
  return key === undefined ? undefined : object[key];
}

function scalarText(value: JsonValue | undefined, name: string, place: string): string {
  if (typeof value === "string") return value;
  if (value === undefined || value === null) return "";
  if (typeof value === "boolean") return String(value);
  if (typeof value === "number") return Number.isInteger(value) ? String(value) : formatShortest(value);
  throw new HeadError(
    `expected ${name} of a rendered document to be a string`,
    value,
    `struct field ${place}`,
    "string",
  );
}
