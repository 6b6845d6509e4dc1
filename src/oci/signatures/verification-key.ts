import { createPublicKey, type KeyObject, verify } from "node:crypto";
import { InputError } from "#base";

/** A public key that signatures are checked with. */
export interface VerificationKey {
  /** Where it was read, for messages: `Secret shop/signers, cosign.pub`. */
  readonly source: string;
  readonly key: KeyObject;
}

const block = /-----BEGIN ([A-Z0-9 ]{1,40})-----[\sA-Za-z0-9+/=]{0,16384}-----END \1-----/g;
const publicLabels: ReadonlySet<string> = new Set(["PUBLIC KEY", "RSA PUBLIC KEY"]);
const largestText = 64 * 1024;
const shortestRsa = 2048;

/** Reads one or more public keys in PEM: ECDSA on P-256, RSA or Ed25519. `where` names the file or Secret in messages. */
export function parseVerificationKeys(text: string, where: string): readonly VerificationKey[] {
  if (text.length > largestText) {
    throw new InputError(`expected public keys, got ${text.length} characters`, { where, next: "give the keys alone" });
  }
  const blocks = [...text.matchAll(block)].map(([pem, label = ""]) => ({ pem, label }));
  const secret = blocks.find(({ label }) => label.endsWith("PRIVATE KEY"));
  if (secret || /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----/.test(text)) {
    throw new InputError("expected a public key, got a private one", {
      where,
      next: "give the public key, such as cosign.pub, and keep the private one where it belongs",
    });
  }
  const keys = blocks.filter(({ label }) => publicLabels.has(label));
  if (keys.length === 0) {
    throw new InputError("expected a public key in PEM", {
      where,
      next: "it begins with -----BEGIN PUBLIC KEY-----; `cosign public-key` prints it",
    });
  }
  return keys.map(({ pem }) => ({ source: where, key: readKey(pem, where) }));
}

/** Whether the signature of these bytes is by this key. ECDSA signatures are in DER, RSA signatures of PKCS #1 v1.5, both with SHA-256. */
export function isSignedBy({ key }: VerificationKey, message: Uint8Array, signature: Uint8Array): boolean {
  try {
    return verify(key.asymmetricKeyType === "ed25519" ? null : "sha256", message, key, signature);
  } catch {
    // OpenSSL throws for bytes that are not a signature.
    return false;
  }
}

function readKey(pem: string, where: string): KeyObject {
  let key: KeyObject;
  try {
    key = createPublicKey(pem);
  } catch (cause) {
    throw new InputError("the public key cannot be read", { where, next: "check that it is complete", cause });
  }
  const { namedCurve, modulusLength = 0 } = key.asymmetricKeyDetails ?? {};
  const type = key.asymmetricKeyType;
  if (type === "ed25519" || (type === "ec" && namedCurve === "prime256v1")) return key;
  if (type === "rsa" && modulusLength >= shortestRsa) return key;
  const found = [type, namedCurve ?? (type === "rsa" ? `${modulusLength} bits` : "")].join(" ").trim();
  throw new InputError(`keys of this kind are not accepted: ${found}`, {
    where,
    next: `use ECDSA on P-256, which \`cosign generate-key-pair\` makes, Ed25519, or RSA of ${shortestRsa} bits or more`,
  });
}
