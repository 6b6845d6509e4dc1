import type { z } from "zod";
import { InputError } from "#base";

/** More than any attestation of one image. */
const largestDocument = 16 * 2 ** 20;

/** Reads a JSON document of this shape; an InputError says what it is not. */
export function readSignedJson<Schema extends z.ZodType>(
  bytes: Uint8Array,
  schema: Schema,
  what: string,
): z.infer<Schema> {
  if (bytes.length > largestDocument) throw new InputError(`${what} has ${bytes.length} bytes`);
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(bytes).toString());
  } catch {
    throw new InputError(`${what} is not valid JSON`);
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new InputError(`${what} is not valid: ${issue?.path.join(".") ?? ""}: ${issue?.message ?? ""}`);
}

/** Base64 of either alphabet; an InputError if the text is something else. */
export function decodeSigned(text: string, what: string): Buffer {
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(text)) throw new InputError(`${what} is not base64`);
  return Buffer.from(text, "base64");
}
