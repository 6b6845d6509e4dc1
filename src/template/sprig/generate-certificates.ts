import { generateKeyPairSync, type KeyObject } from "node:crypto";
import {
  type CallContext,
  createCertificate,
  decodePem,
  encodePem,
  fromBytes,
  FunctionError,
  type GoFunction,
  goFunction,
  type GoValue,
  parseCertificate,
  explainMalformed,
  parseIp,
  parsePkcs1,
  parsePrivateKeyPem,
  printValue,
  type PrivateKey,
  privateKeyPem,
  type Signer,
  Struct,
} from "#golang";
import { corruptBase64 } from "./base-encoding.ts";
import { toByteText } from "./byte-text.ts";
import { chargeKey, type KeySource, makeSlowKey, type SlowKey } from "./slow-keys.ts";

const unstable = { unstable: true };

/** Keys and certificates. Generating a key blocks the process for a tenth of a second, unless the context has a `KeyStock`. */
export const certificates: Record<string, GoFunction> = {
  ...certificatesBy(parseAnyKey),
  genPrivateKey: privateKeys(),
  genCAWithKey: goFunction(
    ["string", "int", "string"],
    ([name, days, key], context) =>
      certified({ name, days, ips: [], dnsNames: [], isAuthority: true }, givenKey(key), undefined, context),
    unstable,
  ),
  genSelfSignedCertWithKey: goFunction(
    ["string", "[]any", "[]any", "int", "string"],
    ([name, ips, dnsNames, days, key], context) =>
      certified({ name, days, ips, dnsNames, isAuthority: false }, givenKey(key), undefined, context),
    unstable,
  ),
  genSignedCertWithKey: goFunction(
    ["string", "[]any", "[]any", "int", "sprig.certificate", "string"],
    ([name, ips, dnsNames, days, authority, key], context) => {
      const request = { name, days, ips, dnsNames, isAuthority: false };
      return certified(request, givenKey(key), signerOf(authority, parseAnyKey), context);
    },
    unstable,
  ),
};

/** Those of sprig 2.22, which reads only RSA keys and does not generate Ed25519 keys. */
export const plugCertificates: Record<string, GoFunction> = {
  ...certificatesBy(parseRsaKey),
  genPrivateKey: privateKeys("ed25519"),
};

function certificatesBy(parseKey: ParseKey): Record<string, GoFunction> {
  return {
    buildCustomCert: goFunction(["string", "string"], ([certificate, key]) => {
      const certificateText = decodeBase64(certificate, "certificate");
      const keyText = decodeBase64(key, "private key");
      parseCertificatePem(certificateText, "decodedCert");
      parseKey(keyText, "decodedKey");
      return certificateValue(certificateText, keyText);
    }),
    genCA: goFunction(
      ["string", "int"],
      ([name, days], context) => {
        const request = { name, days, ips: [], dnsNames: [], isAuthority: true };
        return certified(request, newKey, undefined, context);
      },
      unstable,
    ),
    genSelfSignedCert: goFunction(
      ["string", "[]any", "[]any", "int"],
      ([name, ips, dnsNames, days], context) => {
        const request = { name, days, ips, dnsNames, isAuthority: false };
        return certified(request, newKey, undefined, context);
      },
      unstable,
    ),
    genSignedCert: goFunction(
      ["string", "[]any", "[]any", "int", "sprig.certificate"],
      ([name, ips, dnsNames, days, authority], context) => {
        const signer = signerOf(authority, parseKey);
        const request = { name, days, ips, dnsNames, isAuthority: false };
        return certified(request, newKey, signer, context);
      },
      unstable,
    ),
  };
}

function privateKeys(unknown?: string): GoFunction {
  const call = ([kind]: [string], context: CallContext): string => {
    const key = kind === unknown ? undefined : makePrivateKey(kind, context);
    return key === undefined ? `Unknown type ${kind}` : privateKeyPem(key);
  };
  return goFunction(["string"], call, unstable);
}

/** Reads a private key in PEM; the name is what sprig's error calls it. */
type ParseKey = (pem: string, name: string) => PrivateKey;

function parseAnyKey(pem: string): PrivateKey {
  return explainMalformed("error parsing private key", () => parsePrivateKeyPem(pem));
}

function parseRsaKey(pem: string, name: string): PrivateKey {
  const block = decodePem(pem);
  if (block === undefined) throw new FunctionError("unable to decode key");
  return explainMalformed(`error parsing prive key: ${name}.Bytes`, () => parsePkcs1(block.bytes));
}

function givenKey(pem: string): MakeKey {
  const key = explainMalformed("parsing private key", () => parsePrivateKeyPem(pem));
  return () => key;
}

function parseCertificatePem(pem: string, name: string): ReturnType<typeof parseCertificate> {
  const block = decodePem(pem);
  if (block === undefined) throw new FunctionError("unable to decode certificate");
  return explainMalformed(`error parsing certificate: ${name}.Bytes`, () => parseCertificate(block.bytes));
}

function decodeBase64(text: string, what: string): string {
  const letters = toByteText(text);
  if (corruptBase64(letters) !== undefined) throw new FunctionError(`unable to decode base64 ${what}`);
  return fromBytes(Buffer.from(letters, "base64"));
}

function signerOf(authority: GoValue, parseKey: ParseKey): Signer {
  const certificate = parseCertificatePem(fieldOf(authority, "Cert"), "decodedSignerCert");
  return { certificate, key: parseKey(fieldOf(authority, "Key"), "decodedSignerKey") };
}

function fieldOf(authority: GoValue, name: "Cert" | "Key"): string {
  const value = authority instanceof Struct ? authority.details.fields?.[name] : undefined;
  return typeof value === "string" ? value : "";
}

interface Request {
  readonly name: string;
  readonly days: bigint;
  readonly ips: readonly GoValue[];
  readonly dnsNames: readonly GoValue[];
  readonly isAuthority: boolean;
}

const dayInNanoseconds = 86_400_000_000_000n;

/** A key is generated only after all checks. */
type MakeKey = (context: CallContext) => PrivateKey;

function newKey(context: CallContext): PrivateKey {
  return makeKeyFor(context, "rsa2048");
}

/** Without a signer the key signs itself. */
function certified(request: Request, makeKey: MakeKey, signer: Signer | undefined, context: CallContext): Struct {
  const { name, days, isAuthority } = request;
  const ips = request.ips.map((ip) => parseIp(textOf(ip, "error parsing ip")));
  const dnsNames = request.dnsNames.map((dnsName) => textOf(dnsName, "error processing alternate dns name"));
  const key = makeKey(context);
  const notBefore = context.now();
  // Nanoseconds in 64 bits: after 292 years, Go overflows into the past.
  const notAfter = notBefore + Number(BigInt.asIntN(64, days * dayInNanoseconds) / 1_000_000n);
  const bytes = explainMalformed("error creating certificate", () =>
    createCertificate({ commonName: name, ips, dnsNames, isAuthority, notBefore, notAfter }, key, signer ?? { key }),
  );
  if (typeof key === "string") throw new FunctionError("error pem-encoding key");
  return certificateValue(encodePem("CERTIFICATE", bytes), privateKeyPem(key));
}

function textOf(value: GoValue, problem: string): string {
  if (typeof value === "string") return value;
  throw new FunctionError(`${problem}: ${printValue(value)} is not a string`);
}

function certificateValue(certificate: string, key: string): Struct {
  return new Struct("sprig.certificate", { fields: { Cert: certificate, Key: key } });
}

/** Elliptic curves take a tenth of a millisecond. */
const curveSteps = 2_000;

const sources = new WeakMap<CallContext["host"], KeySource>();

/** Has templates that run with this host take keys from there. */
export function takeKeysFrom(source: KeySource, host: CallContext["host"]): void {
  sources.set(host, source);
}

function makeKeyFor({ budget, host }: CallContext, kind: SlowKey): KeyObject {
  chargeKey(kind, budget);
  const source = sources.get(host) ?? makeSlowKey;
  return source(kind);
}

/** A new key of that kind, for `genPrivateKey`; `undefined` for an unknown kind. */
function makePrivateKey(kind: string, context: CallContext): KeyObject | undefined {
  switch (kind) {
    case "":
    case "rsa":
      return makeKeyFor(context, "rsa4096");
    case "dsa":
      return makeKeyFor(context, "dsa");
    case "ecdsa":
      context.budget.step(curveSteps);
      return generateKeyPairSync("ec", { namedCurve: "prime256v1" }).privateKey;
    case "ed25519":
      context.budget.step(curveSteps);
      return generateKeyPairSync("ed25519").privateKey;
    default:
      return undefined;
  }
}
