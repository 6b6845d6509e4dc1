import { InputError } from "#base";
import { type DsseEnvelope, dsseSigner, parseDsseEnvelope } from "./dsse-envelope.ts";
import { inTotoPayload, isProvenance, parseStatement } from "./in-toto-statement.ts";
import { parseSigstoreBundle } from "./sigstore-bundle.ts";
import { cosignSignType, parseSimpleSigning } from "./simple-signing.ts";
import { decodeSigned } from "./signed-json.ts";
import { isSignedBy, type VerificationKey } from "./verification-key.ts";

/** Something that hangs on an image and may vouch for it. */
export interface SignatureEvidence {
  /** Where it was found, for messages: a tag or a digest of the repository. */
  readonly source: string;
  readonly format: "simple-signing" | "dsse" | "bundle";
  readonly bytes: Uint8Array;
  /** Base64; of simple signing, which has it beside the text. */
  readonly signature?: string;
}

/** What one piece of evidence proves. */
export type EvidenceVerdict =
  | { readonly kind: "signature"; readonly key: string }
  | { readonly kind: "attestation"; readonly key: string; readonly predicateType: string; readonly builder?: string }
  /** It is of no use; the reason is a sentence. */
  | { readonly kind: "rejected"; readonly reason: string };

export interface JudgedImage {
  readonly digest: string;
  /** The bytes of the manifest: bundles may sign these instead of a statement. */
  readonly manifest: Uint8Array;
}

/** Decides what a piece of evidence proves about an image: only what one of the keys signed counts, and only for this digest. */
export function judgeEvidence(
  evidence: SignatureEvidence,
  image: JudgedImage,
  keys: readonly VerificationKey[],
): EvidenceVerdict {
  try {
    if (evidence.format === "simple-signing") return judgeSimpleSigning(evidence, image, keys);
    if (evidence.format === "dsse") return judgeEnvelope(parseDsseEnvelope(evidence.bytes), image, keys);
    const bundle = parseSigstoreBundle(evidence.bytes);
    if (bundle.kind === "envelope") return judgeEnvelope(bundle.envelope, image, keys);
    const key = keys.find((each) => isSignedBy(each, image.manifest, bundle.signature));
    return key ? { kind: "signature", key: key.source } : notByKeys;
  } catch (error) {
    if (error instanceof InputError) return { kind: "rejected", reason: error.message };
    throw error;
  }
}

const notByKeys: EvidenceVerdict = { kind: "rejected", reason: "it is not signed by any of the keys" };

function judgeSimpleSigning(
  { bytes, signature = "" }: SignatureEvidence,
  { digest }: JudgedImage,
  keys: readonly VerificationKey[],
): EvidenceVerdict {
  const decoded = decodeSigned(signature, "the signature");
  // Nothing of a text is believed before its signature is.
  const key = keys.find((each) => isSignedBy(each, bytes, decoded));
  if (!key) return notByKeys;
  const signed = parseSimpleSigning(bytes);
  return signed === digest ? { kind: "signature", key: key.source } : ofOther([signed]);
}

function judgeEnvelope(
  envelope: DsseEnvelope,
  { digest }: JudgedImage,
  keys: readonly VerificationKey[],
): EvidenceVerdict {
  const key = dsseSigner(envelope, keys);
  if (!key) return notByKeys;
  if (envelope.payloadType !== inTotoPayload) {
    return { kind: "rejected", reason: `its payload is of the type ${JSON.stringify(envelope.payloadType)}` };
  }
  const statement = parseStatement(envelope.payload);
  if (!statement.subjects.includes(digest)) return ofOther(statement.subjects);
  const { predicateType, builder } = statement;
  if (predicateType === cosignSignType) return { kind: "signature", key: key.source };
  const named = isProvenance(statement) && builder !== undefined ? { builder } : {};
  return { kind: "attestation", key: key.source, predicateType, ...named };
}

function ofOther([first = "nothing", ...more]: readonly string[]): EvidenceVerdict {
  const others = more.length === 0 ? "" : ` and ${more.length} more`;
  return { kind: "rejected", reason: `it is about ${first}${others}` };
}
