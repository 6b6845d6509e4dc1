import { isJsonObject, type JsonObject, type JsonValue } from "#base";
import { formatShortest } from "#golang";

/** What Helm looks at in a document. */
export interface ManifestHead {
  readonly kind: string;
  readonly name: string;
  readonly annotations: ReadonlyMap<string, string> | undefined;
}

/** A field has a type that Helm does not accept there. */
export class HeadError extends Error {
  override readonly name = "HeadError";
  /** What Helm says of it. */
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

/** Reads the head as Go fills a struct: names in any case, numbers and booleans as text, everything else that is no text refused. */
export function readHead(object: JsonValue): ManifestHead {
  if (!isJsonObject(object))
    throw new HeadError(
      "what is rendered is not an object, but a list or a single value",
      object,
      "value",
      "releaseutil.SimpleHead",
    );
  text(field(object, "apiVersion"), "apiVersion", "SimpleHead.apiVersion");
  const kind = text(field(object, "kind"), "kind", "SimpleHead.kind");
  const metadata = field(object, "metadata") ?? null;
  if (metadata === null) return { kind, name: "", annotations: undefined };
  if (!isJsonObject(metadata))
    throw new HeadError(
      "of what is rendered, metadata is not a table",
      metadata,
      "struct field SimpleHead.metadata",
      metadataType,
    );
  const annotations = annotationsOf(metadata);
  return { kind, name: text(field(metadata, "name"), "metadata.name", ".metadata.name"), annotations };
}

function annotationsOf(metadata: JsonObject): ReadonlyMap<string, string> | undefined {
  const annotations = field(metadata, "annotations") ?? null;
  if (annotations === null) return undefined;
  const place = ".metadata.annotations";
  if (!isJsonObject(annotations)) {
    const type = "map[string]string";
    throw new HeadError(
      "of what is rendered, metadata.annotations is not a table",
      annotations,
      `struct field ${place}`,
      type,
    );
  }
  return new Map(
    Object.entries(annotations).map(([key, value]) => [
      key,
      text(value, `metadata.annotations[${JSON.stringify(key)}]`, place),
    ]),
  );
}

/** Of names that differ only in case, Go's last one counts: the one with the most small letters. */
function field(object: JsonObject, name: string): JsonValue | undefined {
  if (Object.hasOwn(object, name)) return object[name];
  const wanted = name.toLowerCase();
  const key = Object.keys(object)
    .filter((other) => other.length === name.length && other.toLowerCase() === wanted)
    .toSorted()
    .at(-1);
  return key === undefined ? undefined : object[key];
}

function text(value: JsonValue | undefined, name: string, place: string): string {
  if (typeof value === "string") return value;
  if (value === undefined || value === null) return "";
  if (typeof value === "boolean") return String(value);
  if (typeof value === "number") return Number.isInteger(value) ? String(value) : formatShortest(value);
  throw new HeadError(`of what is rendered, ${name} is not text`, value, `struct field ${place}`, "string");
}
