import { z } from "zod";
import { isDigest } from "../registry/digest.ts";
import { readSignedJson } from "./signed-json.ts";

/** The media type of the layer that holds the signed text; its signature is in an annotation of the layer. */
export const simpleSigningType = "application/vnd.dev.cosign.simplesigning.v1+json";
export const simpleSignatureAnnotation = "dev.cosignproject.cosign/signature";

/** What cosign claims when it signs an image, before and since its version 3. */
export const cosignSignType = "https://sigstore.dev/cosign/sign/v1";
const signTypes: ReadonlySet<string> = new Set(["cosign container image signature", cosignSignType]);

const SimpleSigning = z.looseObject({
  critical: z.looseObject({
    type: z.string().refine((type) => signTypes.has(type), "expected the type of a signature by cosign"),
    image: z.looseObject({ "docker-manifest-digest": z.string().refine(isDigest, "expected a digest") }),
  }),
});

/**
 * The digest that a text of this form claims to be signed. The name of the repository in it is not compared: images are
 * promoted from one repository to another. https://github.com/sigstore/cosign/blob/main/specs/SIGNATURE_SPEC.md
 */
export function parseSimpleSigning(bytes: Uint8Array): string {
  return readSignedJson(bytes, SimpleSigning, "the signed text").critical.image["docker-manifest-digest"];
}
