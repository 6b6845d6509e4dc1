import { createCipheriv, createDecipheriv, hash, randomBytes } from "node:crypto";
import { type CallContext, fromBytes, FunctionError, type GoFunction, goFunction, toBytes } from "#golang";
import { keepingPlace } from "../keeps-place.ts";
import { corruptBase64 } from "./base-encoding.ts";
import { toByteText } from "./byte-text.ts";

/** Digests of texts, in hexadecimal. */
export const hashes: Record<string, GoFunction> = {
  sha1sum: digest("sha1"),
  sha256sum: keepingPlace(digest("sha256")),
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
/** The number of bytes before a sum can overflow. */
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

const blockSize = 16;
const algorithm = "aes-256-cbc";
/** Of starting a cipher, however short the text. */
const cipherSteps = 64;

/** AES-256 in cipher block chaining; the key is the password, cut or filled with zeros. */
export const encryption: Record<string, GoFunction> = {
  encryptAES: goFunction(
    ["string", "string"],
    ([password, text], { budget }) => {
      if (text === "") return "";
      budget.step(cipherSteps);
      budget.make(2 * text.length);
      const start = randomBytes(blockSize);
      const cipher = createCipheriv(algorithm, keyOf(password), start);
      return Buffer.concat([start, cipher.update(toBytes(text)), cipher.final()]).toString("base64");
    },
    { unstable: true },
  ),
  decryptAES: goFunction(["string", "string"], ([password, encrypted], { budget }) => {
    if (encrypted === "") return "";
    budget.step(cipherSteps);
    budget.make(encrypted.length);
    return fromBytes(decrypt(keyOf(password), decodeBase64(encrypted)));
  }),
};

function keyOf(password: string): Buffer {
  const key = Buffer.alloc(32);
  key.set(toBytes(password).subarray(0, key.length));
  return key;
}

interface Decoded {
  readonly bytes: Buffer;
  /** How much Go reserved for them. */
  readonly capacity: number;
}

function decodeBase64(text: string): Decoded {
  const letters = toByteText(text);
  const corrupt = corruptBase64(letters);
  if (corrupt !== undefined) throw new FunctionError(`illegal base64 data at input byte ${corrupt}`);
  return { bytes: Buffer.from(letters, "base64"), capacity: Math.floor(letters.length / 4) * 3 };
}

/** Go checks little: input that is too short or decrypts to nonsense fails with out-of-range errors. */
function decrypt(key: Buffer, { bytes, capacity }: Decoded): Uint8Array {
  if (capacity < blockSize) throw outOfBounds(`slice bounds out of range [:${blockSize}] with capacity ${capacity}`);
  if (bytes.length < blockSize) throw outOfBounds(`slice bounds out of range [${blockSize}:${bytes.length}]`);
  if (bytes.length % blockSize !== 0) throw new FunctionError("crypto/cipher: input not full blocks");
  const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, blockSize)).setAutoPadding(false);
  const decrypted = Buffer.concat([decipher.update(bytes.subarray(blockSize)), decipher.final()]);
  const padding = decrypted.at(-1);
  if (padding === undefined) throw outOfBounds("index out of range [-1]");
  if (padding > decrypted.length) throw outOfBounds(`slice bounds out of range [:${decrypted.length - padding}]`);
  return decrypted.subarray(0, decrypted.length - padding);
}

function outOfBounds(what: string): FunctionError {
  return new FunctionError(`runtime error: ${what}`);
}
