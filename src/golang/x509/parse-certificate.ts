import { X509Certificate } from "node:crypto";
import { FunctionError } from "../value/go-function.ts";
import { type DerReader, DerReader as Reader } from "./der-reader.ts";
import { derObjectIdentifier } from "./der.ts";

/** What a certificate that signs another one gives it. */
export interface ParsedCertificate {
  /** The subject as it is encoded. */
  readonly subject: Buffer;
  readonly subjectKeyId: Buffer | undefined;
  /** The public key as the engine encodes it. */
  readonly publicKey: Buffer;
}

const subjectKeyIdentifier = derObjectIdentifier("2.5.29.14");

/** Throws a `FunctionError` for bytes that are not a certificate. */
export function parseCertificate(bytes: Uint8Array): ParsedCertificate {
  try {
    const reader = new Reader(bytes);
    const whole = reader.readInto(0x30);
    if (!reader.isAtEnd) throw new FunctionError("x509: trailing data");
    const contents = whole.readInto(0x30);
    if (contents.nextTag === 0xa0) contents.readAny();
    const [serialStart = 0] = contents.read(0x02).content;
    if (serialStart >= 0x80) throw new FunctionError("x509: negative serial number");
    const algorithm = contents.read(0x30);
    if (!algorithm.whole.equals(whole.read(0x30).whole))
      throw new FunctionError("x509: inner and outer signature algorithm identifiers don't match");
    contents.read(0x30);
    contents.read(0x30);
    const subject = contents.read(0x30).whole;
    contents.read(0x30);
    const { publicKey } = new X509Certificate(bytes);
    return { subject, subjectKeyId: findKeyId(contents), publicKey: publicKey.export({ type: "spki", format: "der" }) };
  } catch (error) {
    if (error instanceof FunctionError || !(error instanceof Error)) throw error;
    throw new FunctionError("x509: malformed certificate");
  }
}

function findKeyId(contents: DerReader): Buffer | undefined {
  while (!contents.isAtEnd) {
    if (contents.nextTag !== 0xa3) {
      contents.readAny();
      continue;
    }
    const extensions = contents.readInto(0xa3).readInto(0x30);
    while (!extensions.isAtEnd) {
      const extension = extensions.readInto(0x30);
      const isKeyId = extension.read(0x06).whole.equals(subjectKeyIdentifier);
      if (isKeyId) {
        if (extension.nextTag === 0x01) extension.readAny();
        return extension.readInto(0x04).read(0x04).content;
      }
    }
  }
  return undefined;
}
