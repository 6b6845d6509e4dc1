import { isJsonObject, type JsonObject, type JsonValue } from "#base";
import { formatShortest } from "../../go-value/index.ts";

/** What Helm looks at in a document. */
export interface ManifestHead {
  readonly kind: string;
  readonly name: string;
  readonly annotations: ReadonlyMap<string, string> | undefined;
}

/** A field has a type that Helm does not accept there. */
export class HeadError extends Error {
  override readonly name = "HeadError";
}

/** Reads the head as Go fills a struct: names in any case, numbers and booleans as text, everything else that is no text refused. */
export function readHead(object: JsonObject): ManifestHead {
  text(field(object, "apiVersion"), "apiVersion");
  const kind = text(field(object, "kind"), "kind");
  const metadata = field(object, "metadata") ?? null;
  if (metadata === null) return { kind, name: "", annotations: undefined };
  if (!isJsonObject(metadata)) throw new HeadError("metadata is not a table");
  return { kind, name: text(field(metadata, "name"), "metadata.name"), annotations: annotationsOf(metadata) };
}

function annotationsOf(metadata: JsonObject): ReadonlyMap<string, string> | undefined {
  const annotations = field(metadata, "annotations") ?? null;
  if (annotations === null) return undefined;
  if (!isJsonObject(annotations)) throw new HeadError("metadata.annotations is not a table");
  return new Map(
    Object.entries(annotations).map(([key, value]) => [
      key,
      text(value, `metadata.annotations[${JSON.stringify(key)}]`),
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

function text(value: JsonValue | undefined, name: string): string {
  if (typeof value === "string") return value;
  if (value === undefined || value === null) return "";
  if (typeof value === "boolean") return String(value);
  if (typeof value === "number") return Number.isInteger(value) ? String(value) : formatShortest(value);
  throw new HeadError(`${name} is not text`);
}
