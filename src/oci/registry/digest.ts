import { createHash } from "node:crypto";

const forms: Readonly<Record<string, RegExp>> = { sha256: /^[0-9a-f]{64}$/, sha512: /^[0-9a-f]{128}$/ };

/** `sha256:` or `sha512:` and that many lower case hexadecimal digits. */
export function isDigest(text: string): boolean {
  const colon = text.indexOf(":");
  const form = Object.hasOwn(forms, text.slice(0, colon)) ? forms[text.slice(0, colon)] : undefined;
  return form?.test(text.slice(colon + 1)) ?? false;
}

/** The algorithm of a digest, as `createHash` takes it. */
export function algorithmOf(digest: string): string {
  return digest.slice(0, digest.indexOf(":"));
}

/** The digest of these bytes, by the algorithm of another digest, or by SHA-256. */
export function computeDigest(bytes: Uint8Array, like = "sha256:"): string {
  const algorithm = algorithmOf(like);
  return `${algorithm}:${createHash(algorithm).update(bytes).digest("hex")}`;
}
