import { createHmac, randomBytes, scryptSync } from "node:crypto";
import { encodeBase64, hashSync } from "bcryptjs";
import { byteLength, type CallContext, FunctionError, type GoFunction, goFunction, toBytes } from "#golang";

/** Hashed and derived passwords. */
export const passwords: Record<string, GoFunction> = {
  bcrypt: goFunction(["string"], ([password], context) => bcrypt(password, context), { unstable: true }),
  htpasswd: goFunction(
    ["string", "string"],
    ([user, password], context) => {
      if (user.includes(":")) return `invalid username: ${user}`;
      return `${user}:${bcrypt(password, context)}`;
    },
    { unstable: true },
  ),
  derivePassword: goFunction(
    ["uint32", "string", "string", "string", "string"],
    ([counter, type, password, user, site], context) =>
      derivePassword(Number(counter), type, password, user, site, context),
  ),
};

/** Of work of a tenth of a second that cannot be interrupted: a tenant gets two of them in a rendering. */
const slowSteps = 400_000;
const saltLength = 16;
const longestPassword = 72;

function bcrypt(password: string, { budget }: CallContext): string {
  budget.step(slowSteps);
  if (byteLength(password) > longestPassword)
    return "failed to encrypt string with bcrypt: bcrypt: password length exceeds 72 bytes";
  if (!password.isWellFormed()) throw new FunctionError("cannot hash a password that is not UTF-8");
  // Go calls the algorithm 2a, which is what the library calls 2b.
  return hashSync(password, `$2a$10$${encodeBase64(randomBytes(saltLength), saltLength)}`);
}

const seed = "com.lyndir.masterpassword";

const templates: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    maximum: "anoxxxxxxxxxxxxxxxxx axxxxxxxxxxxxxxxxxno",
    long:
      "CvcvnoCvcvCvcv CvcvCvcvnoCvcv CvcvCvcvCvcvno CvccnoCvcvCvcv CvccCvcvnoCvcv CvccCvcvCvcvno CvcvnoCvccCvcv " +
      "CvcvCvccnoCvcv CvcvCvccCvcvno CvcvnoCvcvCvcc CvcvCvcvnoCvcc CvcvCvcvCvccno CvccnoCvccCvcv CvccCvccnoCvcv " +
      "CvccCvccCvcvno CvcvnoCvccCvcc CvcvCvccnoCvcc CvcvCvccCvccno CvccnoCvcvCvcc CvccCvcvnoCvcc CvccCvcvCvccno",
    medium: "CvcnoCvc CvcCvcno",
    short: "Cvcn",
    basic: "aaanaaan aannaaan aaannaaa",
    pin: "nnnn",
  }).map(([type, texts]) => [type, texts.split(" ")]),
);

const characters: Readonly<Record<string, string>> = {
  C: "BCDFGHJKLMNPQRSTVWXYZ",
  v: "aeiou",
  c: "bcdfghjklmnpqrstvwxyz",
  a: "AEIOUaeiouBCDFGHJKLMNPQRSTVWXYZbcdfghjklmnpqrstvwxyz",
  n: "0123456789",
  o: "@&%?,=[]_:-+*$#!'^~;()/.",
  x: "AEIOUaeiouBCDFGHJKLMNPQRSTVWXYZbcdfghjklmnpqrstvwxyz0123456789!@#$%^&*()",
};

/** The algorithm of Master Password, version 3: http://masterpasswordapp.com/algorithm.html */
function derivePassword(
  counter: number,
  type: string,
  password: string,
  user: string,
  site: string,
  { budget }: CallContext,
): string {
  const candidates = templates.get(type);
  if (candidates === undefined) return `cannot find password template ${type}`;
  budget.step(slowSteps);
  const options = { N: 32_768, r: 8, p: 2, maxmem: 64 << 20 };
  const key = scryptSync(toBytes(password), Buffer.concat([Buffer.from(seed), withLength(user)]), 64, options);
  const text = Buffer.concat([Buffer.from(seed), withLength(site), uint32(counter)]);
  const [choice = 0, ...choices] = createHmac("sha256", key).update(text).digest();
  const template = candidates[choice % candidates.length] ?? "";
  return Array.from(template, (kind, index) => {
    const set = characters[kind] ?? "";
    return set.charAt((choices[index] ?? 0) % set.length);
  }).join("");
}

function withLength(text: string): Buffer {
  const bytes = toBytes(text);
  return Buffer.concat([uint32(bytes.length), bytes]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
