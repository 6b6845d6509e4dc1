import { randomBytes, randomUUID } from "node:crypto";
import { type CallContext, FunctionError, type GoFunction, goFunction, Int } from "#golang";

const digits = "0123456789";
const lower = "abcdefghijklmnopqrstuvwxyz";
const letters = lower + lower.toUpperCase();
const ascii = String.fromCharCode(...Array.from({ length: 95 }, (_, index) => 32 + index));

/** Random values. */
export const random: Record<string, GoFunction> = {
  randAlphaNum: characters(letters + digits),
  randAlpha: characters(letters),
  randNumeric: characters(digits),
  randAscii: characters(ascii),
  randBytes: goFunction(
    ["int"],
    ([count], { budget }) => {
      if (count < 0n) throw new FunctionError("runtime error: makeslice: len out of range");
      budget.make(count);
      return randomBytes(Number(count)).toString("base64");
    },
    { unstable: true },
  ),
  randInt: goFunction(
    ["int", "int"],
    ([least, end]) => {
      const range = BigInt.asIntN(64, end - least);
      if (range <= 0n) throw new FunctionError("invalid argument to Intn");
      return new Int("int", BigInt.asIntN(64, randomBelow(range) + least));
    },
    { unstable: true },
  ),
  uuidv4: goFunction([], () => randomUUID(), { unstable: true }),
};

/** A text of `count` characters; a negative count is an error that sprig drops. */
function characters(alphabet: string): GoFunction {
  const call = ([count]: [bigint], { budget }: CallContext): string => {
    if (count <= 0n) return "";
    budget.make(count);
    return randomText(alphabet, Number(count));
  };
  return goFunction(["int"], call, { unstable: true });
}

/** Discards bytes that would make some characters likelier than others. */
function randomText(alphabet: string, length: number): string {
  const end = 256 - (256 % alphabet.length);
  let text = "";
  while (text.length < length) {
    for (const byte of randomBytes(Math.min(length - text.length + 16, 65_536)))
      if (byte < end && text.length < length) text += alphabet.charAt(byte % alphabet.length);
  }
  return text;
}

function randomBelow(range: bigint): bigint {
  const end = (1n << 64n) - ((1n << 64n) % range);
  for (;;) {
    const value = randomBytes(8).readBigUInt64BE();
    if (value < end) return value % range;
  }
}
