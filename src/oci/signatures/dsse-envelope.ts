import { z } from "zod";
import { decodeSigned, readSignedJson } from "./signed-json.ts";
import { isSignedBy, type VerificationKey } from "./verification-key.ts";

/** A signed document: https://github.com/secure-systems-lab/dsse/blob/master/envelope.md */
export interface DsseEnvelope {
  readonly payloadType: string;
  readonly payload: Buffer;
  readonly signatures: readonly Buffer[];
}

export const dsseType = "application/vnd.dsse.envelope.v1+json";
const mostSignatures = 50;

export const DsseSchema = z.looseObject({
  payloadType: z.string().max(256),
  payload: z.string(),
  signatures: z
    .array(z.looseObject({ sig: z.string() }))
    .min(1)
    .max(mostSignatures),
});

export function parseDsseEnvelope(bytes: Uint8Array): DsseEnvelope {
  return readDsse(readSignedJson(bytes, DsseSchema, "the envelope"));
}

export function readDsse({ payloadType, payload, signatures }: z.infer<typeof DsseSchema>): DsseEnvelope {
  return {
    payloadType,
    payload: decodeSigned(payload, "the payload of the envelope"),
    signatures: signatures.map(({ sig }) => decodeSigned(sig, "a signature of the envelope")),
  };
}

/** The first of these keys that signed the envelope. What its signatures say about their keys is not trusted. */
export function dsseSigner(
  { payloadType, payload, signatures }: DsseEnvelope,
  keys: readonly VerificationKey[],
): VerificationKey | undefined {
  const message = preAuthentication(payloadType, payload);
  return keys.find((key) => signatures.some((signature) => isSignedBy(key, message, signature)));
}

/** What is signed: https://github.com/secure-systems-lab/dsse/blob/master/protocol.md#signature-definition */
function preAuthentication(payloadType: string, payload: Uint8Array): Buffer {
  const head = `DSSEv1 ${Buffer.byteLength(payloadType)} ${payloadType} ${payload.length} `;
  return Buffer.concat([Buffer.from(head), payload]);
}
