import { z } from "zod";
import { type DsseEnvelope, DsseSchema, readDsse } from "./dsse-envelope.ts";
import { decodeSigned, readSignedJson } from "./signed-json.ts";

/** How cosign attaches signatures and attestations since its version 3. */
export type SigstoreBundle =
  | { readonly kind: "envelope"; readonly envelope: DsseEnvelope }
  /** A signature of the manifest itself. */
  | { readonly kind: "message"; readonly signature: Buffer };

/** Older versions have `+json;version=0.1`. */
const bundleType = /^application\/vnd\.dev\.sigstore\.bundle(?:\.v0\.\d+\+json|\+json;\s?version=0\.\d+)$/;

const Bundle = z.looseObject({
  mediaType: z.string().refine(isBundleType, "expected a bundle of sigstore"),
  dsseEnvelope: DsseSchema.optional(),
  messageSignature: z.looseObject({ signature: z.string() }).optional(),
});

export function isBundleType(mediaType: string): boolean {
  return bundleType.test(mediaType);
}

/** https://github.com/sigstore/protobuf-specs/blob/main/protos/sigstore_bundle.proto */
export function parseSigstoreBundle(bytes: Uint8Array): SigstoreBundle {
  const { dsseEnvelope, messageSignature } = readSignedJson(bytes, OneOf, "the bundle");
  if (dsseEnvelope) return { kind: "envelope", envelope: readDsse(dsseEnvelope) };
  return {
    kind: "message",
    signature: decodeSigned(messageSignature?.signature ?? "", "the signature of the bundle"),
  };
}

const OneOf = Bundle.refine(
  ({ dsseEnvelope, messageSignature }) => (dsseEnvelope === undefined) !== (messageSignature === undefined),
  "expected either dsseEnvelope or messageSignature",
);
