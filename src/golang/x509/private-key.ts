import { createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";
import { FunctionError } from "../value/go-function.ts";
import { DerError, DerReader } from "./der-reader.ts";
import { derInteger, derSequence } from "./der.ts";
import { decodePem, encodePem } from "./pem.ts";

/** A key that Go can parse: of a certificate only those that sign can be. */
export type PrivateKey = KeyObject | "dsa" | "x25519";

const curves: ReadonlySet<string> = new Set(["secp224r1", "prime256v1", "secp384r1", "secp521r1"]);

/** A key in the forms that sprig knows. Throws a `FunctionError`. */
export function parsePrivateKeyPem(text: string): PrivateKey {
  const block = decodePem(text);
  if (block === undefined) throw new FunctionError("no PEM data in input");
  const { type, bytes } = block;
  if (type === "PRIVATE KEY") return explainMalformed("decoding PEM as PKCS#8", () => parsePkcs8(bytes));
  if (!type.endsWith(" PRIVATE KEY")) throw new FunctionError(`no private key data in PEM block of type ${type}`);
  switch (type) {
    case "RSA PRIVATE KEY":
      return explainMalformed("parsing RSA private key from PEM", () => parsePkcs1(bytes));
    case "EC PRIVATE KEY":
      return explainMalformed("parsing EC private key from PEM", () => parseSec1(bytes));
    case "DSA PRIVATE KEY":
      return explainMalformed("parsing DSA private key from PEM", () => checkDsa(bytes));
    default:
      throw new FunctionError(`invalid private key type ${type}`);
  }
}

/** An RSA key in PKCS #1. */
export function parsePkcs1(bytes: Uint8Array): KeyObject {
  // The engine would read other forms here too, and ignore what follows.
  const reader = new DerReader(bytes);
  const values = reader.readInto(0x30);
  for (let count = 0; count < 9; count += 1) values.read(0x02);
  if (!reader.isAtEnd) throw new DerError("trailing data");
  return createPrivateKey({ key: Buffer.from(bytes), format: "der", type: "pkcs1" });
}

function parseSec1(bytes: Uint8Array): KeyObject {
  new DerReader(bytes).readInto(0x30).read(0x02);
  return withKnownCurve(createPrivateKey({ key: Buffer.from(bytes), format: "der", type: "sec1" }));
}

function parsePkcs8(bytes: Uint8Array): PrivateKey {
  const values = new DerReader(bytes).readInto(0x30);
  values.read(0x02);
  values.read(0x30);
  const key = createPrivateKey({ key: Buffer.from(bytes), format: "der", type: "pkcs8" });
  if (key.asymmetricKeyType === "ec") return withKnownCurve(key);
  if (key.asymmetricKeyType === "x25519") return "x25519";
  if (key.asymmetricKeyType === "rsa" || key.asymmetricKeyType === "ed25519") return key;
  throw new FunctionError(`x509: PKCS#8 wrapping contained private key with unknown algorithm`);
}

function withKnownCurve(key: KeyObject): KeyObject {
  if (curves.has(key.asymmetricKeyDetails?.namedCurve ?? "")) return key;
  throw new FunctionError("x509: unknown elliptic curve");
}

/** Version, p, q, g, y and x. */
function checkDsa(bytes: Uint8Array): "dsa" {
  const values = new DerReader(bytes).readInto(0x30);
  for (let count = 0; count < 6; count += 1) values.read(0x02);
  return "dsa";
}

/** What neither we nor the engine can read is an error for people, whose text is not Go's. */
export function explainMalformed<T>(what: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new FunctionError(`${what}: ${error instanceof FunctionError ? error.message : "x509: malformed key"}`);
  }
}

/** As Go writes keys: RSA and EC in their own old forms, others in PKCS #8. */
export function privateKeyPem(key: KeyObject): string {
  if (key.asymmetricKeyType === "rsa")
    return encodePem("RSA PRIVATE KEY", key.export({ type: "pkcs1", format: "der" }));
  if (key.asymmetricKeyType === "ec") return encodePem("EC PRIVATE KEY", key.export({ type: "sec1", format: "der" }));
  if (key.asymmetricKeyType === "dsa") return encodePem("DSA PRIVATE KEY", dsaNumbers(key));
  return encodePem("PRIVATE KEY", key.export({ type: "pkcs8", format: "der" }));
}

/** Node only gives the numbers of a DSA key wrapped in PKCS #8. */
function dsaNumbers(key: KeyObject): Buffer {
  const values = new DerReader(key.export({ type: "pkcs8", format: "der" })).readInto(0x30);
  values.read(0x02);
  const algorithm = values.readInto(0x30);
  algorithm.read(0x06);
  const domain = algorithm.readInto(0x30);
  const x = values.readInto(0x04).read(0x02);
  const publicValues = new DerReader(createPublicKey(key).export({ type: "spki", format: "der" })).readInto(0x30);
  publicValues.read(0x30);
  const y = new DerReader(publicValues.read(0x03).content.subarray(1)).read(0x02);
  return derSequence(derInteger(0n), ...[0, 1, 2].map(() => domain.read(0x02).whole), y.whole, x.whole);
}
