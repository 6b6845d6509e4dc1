import { createPublicKey, hash, type KeyObject, randomBytes, sign } from "node:crypto";
import { isIP } from "node:net";
import { FunctionError } from "../value/go-function.ts";
import { quote } from "../value/quote.ts";
import { DerReader } from "./der-reader.ts";
import * as der from "./der.ts";
import type { ParsedCertificate } from "./parse-certificate.ts";
import type { PrivateKey } from "./private-key.ts";

/** What is to be certified. */
export interface CertificateRequest {
  readonly commonName: string;
  readonly ips: readonly Buffer[];
  readonly dnsNames: readonly string[];
  readonly isAuthority: boolean;
  /** Milliseconds since 1970. */
  readonly notBefore: number;
  readonly notAfter: number;
}

/** Who certifies: without a certificate the key signs its own. */
export interface Signer {
  readonly key: PrivateKey;
  readonly certificate?: ParsedCertificate;
}

/** Go's `x509.CreateCertificate` for what sprig asks of it. Throws a `FunctionError` with Go's text. */
export function createCertificate(request: CertificateRequest, key: PrivateKey, signer: Signer): Buffer {
  const signingKey = checkSigner(signer.key);
  if (typeof key === "string") throw new FunctionError(`x509: unsupported public key type: ${keyTypes[key]}`);
  const publicKey = spkiOf(key);
  const subject = subjectOf(request.commonName);
  const issuer = signer.certificate?.subject ?? subject;
  if (signer.certificate !== undefined && !spkiOf(signingKey).equals(signer.certificate.publicKey))
    throw new FunctionError("x509: provided PrivateKey doesn't match parent's PublicKey");
  const authorityKeyId = issuer.equals(subject) ? undefined : signer.certificate?.subjectKeyId;
  const algorithm = signatureAlgorithm(signingKey);
  const contents = der.derSequence(
    der.derTagged(0xa0, der.derInteger(2n)),
    der.derInteger(BigInt(`0x${randomBytes(16).toString("hex")}`)),
    algorithm.identifier,
    issuer,
    der.derSequence(timeOf(request.notBefore), timeOf(request.notAfter)),
    subject,
    publicKey,
    der.derTagged(0xa3, der.derSequence(...extensions(request, publicKey, subject, authorityKeyId))),
  );
  const signature = sign(algorithm.digest, contents, signingKey);
  return der.derSequence(contents, algorithm.identifier, der.derBitString(signature));
}

const keyTypes = { dsa: "*dsa.PublicKey", x25519: "*ecdh.PublicKey" };
const smallestModulus = 1_024;

function checkSigner(key: PrivateKey): KeyObject {
  if (typeof key === "string")
    throw new FunctionError("x509: certificate private key does not implement crypto.Signer");
  const { modulusLength = smallestModulus } = key.asymmetricKeyDetails ?? {};
  if (modulusLength >= smallestModulus) return key;
  const where = "https://go.dev/pkg/crypto/rsa#hdr-Minimum_key_size";
  throw new FunctionError(`crypto/rsa: ${modulusLength}-bit keys are insecure (see ${where})`);
}

function spkiOf(key: KeyObject): Buffer {
  return createPublicKey(key).export({ type: "spki", format: "der" });
}

function subjectOf(commonName: string): Buffer {
  if (!commonName.isWellFormed()) throw new FunctionError("asn1: string not valid UTF-8");
  if (commonName === "") return der.derSequence();
  return der.derSequence(der.derSet(der.derSequence(der.derObjectIdentifier("2.5.4.3"), der.derText(commonName))));
}

interface SignatureAlgorithm {
  readonly identifier: Buffer;
  readonly digest: string | null;
}

function signatureAlgorithm(key: KeyObject): SignatureAlgorithm {
  if (key.asymmetricKeyType === "rsa")
    return {
      identifier: der.derSequence(der.derObjectIdentifier("1.2.840.113549.1.1.11"), der.derNull()),
      digest: "sha256",
    };
  if (key.asymmetricKeyType === "ed25519")
    return { identifier: der.derSequence(der.derObjectIdentifier("1.3.101.112")), digest: null };
  const curve = key.asymmetricKeyDetails?.namedCurve;
  const [arc, digest] = curve === "secp384r1" ? [3, "sha384"] : curve === "secp521r1" ? [4, "sha512"] : [2, "sha256"];
  return { identifier: der.derSequence(der.derObjectIdentifier(`1.2.840.10045.4.3.${arc}`)), digest };
}

function timeOf(milliseconds: number): Buffer {
  // The year 10000.
  if (milliseconds >= 253_402_300_800_000 || milliseconds < -62_167_219_200_000)
    throw new FunctionError("asn1: structure error: cannot represent time as GeneralizedTime");
  return der.derTime(milliseconds);
}

function extensions(
  { isAuthority, dnsNames, ips }: CertificateRequest,
  publicKey: Buffer,
  subject: Buffer,
  authorityKeyId: Buffer | undefined,
): Buffer[] {
  // Digital signatures and encipherment of keys, and for an authority certificates.
  const usage = isAuthority ? der.derBitString(Buffer.from([0xa4]), 2) : der.derBitString(Buffer.from([0xa0]), 5);
  const purposes = der.derSequence(
    der.derObjectIdentifier("1.3.6.1.5.5.7.3.1"),
    der.derObjectIdentifier("1.3.6.1.5.5.7.3.2"),
  );
  const all = [
    extension("2.5.29.15", usage, true),
    extension("2.5.29.37", purposes),
    extension("2.5.29.19", isAuthority ? der.derSequence(der.derBoolean(true)) : der.derSequence(), true),
  ];
  if (isAuthority) all.push(extension("2.5.29.14", der.derOctetString(keyIdOf(publicKey))));
  if (authorityKeyId !== undefined)
    all.push(extension("2.5.29.35", der.derSequence(der.derTagged(0x80, authorityKeyId))));
  if (dnsNames.length + ips.length > 0) {
    const names = [...dnsNames.map(dnsName), ...ips.map((ip) => der.derTagged(0x87, ip))];
    // Without a subject the names are all that says whose it is.
    all.push(extension("2.5.29.17", der.derSequence(...names), subject.length === 2));
  }
  return all;
}

function extension(identifier: string, value: Buffer, isCritical = false): Buffer {
  const critical = isCritical ? [der.derBoolean(true)] : [];
  return der.derSequence(der.derObjectIdentifier(identifier), ...critical, der.derOctetString(value));
}

/** Since Go 1.25 the beginning of a SHA-256, where it was a SHA-1 before. */
function keyIdOf(publicKey: Buffer): Buffer {
  const values = new DerReader(publicKey).readInto(0x30);
  values.read(0x30);
  return hash("sha256", values.read(0x03).content.subarray(1), "buffer").subarray(0, 20);
}

function dnsName(name: string): Buffer {
  if (/[^\0-\x7f]/.test(name)) throw new FunctionError(`x509: ${quote(name)} cannot be encoded as an IA5String`);
  return der.derTagged(0x82, Buffer.from(name));
}

/** Go's `net.ParseIP`, for a request. */
export function parseIp(text: string): Buffer {
  const bytes = ipBytes(text);
  if (bytes === undefined) throw new FunctionError(`error parsing ip: ${text}`);
  return bytes;
}

/** An address as certificates hold it, by Go's `net.ParseIP`; an IPv4 address within IPv6 is four bytes. */
function ipBytes(text: string): Buffer | undefined {
  const version = text.includes("%") ? 0 : isIP(text);
  if (version === 4) return ipv4Bytes(text);
  return version === 6 ? shortest(ipv6Bytes(text)) : undefined;
}

function ipv4Bytes(text: string): Buffer {
  return Buffer.from(text.split(".").map(Number));
}

function ipv6Bytes(text: string): Buffer {
  const lastColon = text.lastIndexOf(":");
  const embedded = text.includes(".") ? ipv4Bytes(text.slice(lastColon + 1)).toString("hex") : undefined;
  const groups =
    embedded === undefined ? text : `${text.slice(0, lastColon)}:${embedded.slice(0, 4)}:${embedded.slice(4)}`;
  const [before = "", after = ""] = groups.split("::");
  const left = groupsHex(before);
  const right = groupsHex(after);
  return Buffer.from(left + right.padStart(32 - left.length, "0"), "hex");
}

function groupsHex(groups: string): string {
  return groups === ""
    ? ""
    : groups
        .split(":")
        .map((group) => group.padStart(4, "0"))
        .join("");
}

function shortest(address: Buffer): Buffer {
  const isEmbedded = address.toString("hex", 0, 12) === "00000000000000000000ffff";
  return isEmbedded ? address.subarray(12) : address;
}
