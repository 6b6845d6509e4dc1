import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isKubeObject, type KubeObject } from "#kube";
import { readFirstYamlDocument } from "#yaml";

/** The object of a file below `examples/`. */
export async function readExample(path: string): Promise<KubeObject> {
  const file = join(import.meta.dirname, "..", "..", "examples", path);
  const object: unknown = readFirstYamlDocument(await readFile(file, "utf8"));
  if (!isKubeObject(object)) throw new Error(`${file} is not an object of Kubernetes`);
  return object;
}
