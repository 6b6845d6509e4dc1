import { readFile } from "node:fs/promises";
import { InputError } from "#base";
import { pathFrom } from "./merge-kubeconfigs.ts";

/** A field of a kubeconfig that is either inline, in base64, or the path of a file. */
export interface CredentialField {
  /** The field's name, like `client-key`. */
  readonly field: string;
  readonly data: string | undefined;
  readonly path: string | undefined;
}

/** Inline data wins over a file, as with kubectl. Undefined when there is neither. */
export async function readCredentialField(
  { field, data, path }: CredentialField,
  kubeconfig: string,
  where: string,
): Promise<string | undefined> {
  if (data !== undefined) return decodeBase64(data, `${field}-data`, where);
  return path === undefined ? undefined : readNamedFile(field, pathFrom(kubeconfig, path), where);
}

/** Strict like Go: Node would skip characters that are not base64. */
function decodeBase64(data: string, field: string, where: string): string {
  const packed = data.replaceAll(/[\r\n]/g, "");
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(packed)) {
    throw new InputError(`${field} is not base64`, { where, next: "correct it, or create the kubeconfig again" });
  }
  return Buffer.from(packed, "base64").toString();
}

export async function readNamedFile(field: string, file: string, where: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? ` (${String(cause.code)})` : "";
    throw new InputError(`the file of ${field} cannot be read: ${file}${code}`, {
      where,
      next: "create it, make it readable, or correct the path, which is relative to the kubeconfig",
    });
  }
}
