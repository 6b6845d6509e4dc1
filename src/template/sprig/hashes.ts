import { hash } from "node:crypto";
import { type CallContext, type GoFunction, goFunction, toBytes } from "#golang";

/** Digests of texts, in hexadecimal. */
export const hashes: Record<string, GoFunction> = {
  sha1sum: digest("sha1"),
  sha256sum: digest("sha256"),
  sha512sum: digest("sha512"),
  adler32sum: goFunction(["string"], ([text], context) => adler32(bytesOf(text, context)).toString()),
};

function digest(algorithm: string): GoFunction {
  return goFunction(["string"], ([text], context) => hash(algorithm, bytesOf(text, context), "hex"));
}

function bytesOf(text: string, { budget }: CallContext): Uint8Array {
  budget.step(1 + (text.length >> 6));
  return toBytes(text);
}

const modulus = 65_521;
/** So many bytes fit before a sum has to be reduced. */
const chunk = 5_552;

function adler32(bytes: Uint8Array): number {
  let low = 1;
  let high = 0;
  for (let start = 0; start < bytes.length; start += chunk) {
    for (const byte of bytes.subarray(start, start + chunk)) {
      low += byte;
      high += low;
    }
    low %= modulus;
    high %= modulus;
  }
  return high * 65_536 + low;
}
