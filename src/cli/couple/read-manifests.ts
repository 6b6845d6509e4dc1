import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { InputError, isJsonList, isJsonObject, type JsonValue } from "#base";
import { parseYamlDocuments } from "#yaml";
import { isKubeObject, type KubeObject } from "#kube";
import type { Shell } from "../shell.ts";

/** An object of a file, and its position. */
export interface ManifestObject {
  readonly object: KubeObject;
  /** `file:line`. */
  readonly where: string;
}

/** The objects of a YAML or JSON file, or of standard input for `-`; a List counts as its items. */
export async function readManifests(
  file: string,
  namespace: string,
  { stdin }: Pick<Shell, "stdin">,
): Promise<ManifestObject[]> {
  const name = file === "-" ? "standard input" : file;
  const content =
    file === "-"
      ? await text(stdin)
      : await readFile(file).catch((cause: unknown) => {
          throw new InputError("cannot read the file", { where: file, next: "check the path", cause });
        });
  const found = parseYamlDocuments(content, { file: name }).flatMap(({ value, line }) =>
    objectsOf(value).map((object) => ({
      object: asObject(object, `${name}:${line}`, namespace),
      where: `${name}:${line}`,
    })),
  );
  if (found.length > 0) return found;
  throw new InputError("the file has no objects", { where: name, next: "use a file with Kubernetes objects" });
}

function objectsOf(value: JsonValue): readonly JsonValue[] {
  if (!isJsonObject(value) || value["kind"] !== "List") return [value];
  const items = value["items"];
  return items !== undefined && isJsonList(items) ? items : [];
}

/** Sets the namespace for all kinds; for cluster-scoped ones it is ignored. */
function asObject(value: unknown, where: string, namespace: string): KubeObject {
  if (!isKubeObject(value)) {
    throw new InputError("not a Kubernetes object", { where, next: "set apiVersion, kind and metadata.name" });
  }
  return value.metadata.namespace === undefined ? { ...value, metadata: { ...value.metadata, namespace } } : value;
}
