import { createHash, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import type { PushedContent, SamplePusher } from "#registry";

/** What signs in tests, with the formats that cosign documents. */
export interface SampleSigner {
  readonly privateKey: KeyObject;
  /** PEM. */
  readonly publicKey: string;
}

export function sampleSigner(type: "ec" | "rsa" | "ed25519" = "ec"): SampleSigner {
  const pair =
    type === "ec"
      ? generateKeyPairSync("ec", { namedCurve: "P-256" })
      : type === "rsa"
        ? generateKeyPairSync("rsa", { modulusLength: 2048 })
        : generateKeyPairSync("ed25519");
  return { privateKey: pair.privateKey, publicKey: pair.publicKey.export({ type: "spki", format: "pem" }).toString() };
}

function signBytes({ privateKey }: SampleSigner, bytes: Uint8Array): string {
  return sign(privateKey.asymmetricKeyType === "ed25519" ? null : "sha256", bytes, privateKey).toString("base64");
}

/** What `cosign sign` signs: the text, and its signature in base64. */
export function simpleSigning(
  signer: SampleSigner,
  digest: string,
  type = "cosign container image signature",
): { readonly bytes: Buffer; readonly signature: string } {
  const image = { "docker-manifest-digest": digest };
  const critical = { identity: { "docker-reference": "quay.io/acme/web" }, image, type };
  const bytes = Buffer.from(JSON.stringify({ critical, optional: null }));
  return { bytes, signature: signBytes(signer, bytes) };
}

export interface SampleStatement {
  readonly digest: string;
  readonly predicateType?: string;
  readonly builder?: string;
}

/** The envelope that `cosign attest` and Tekton Chains sign. */
export function signedStatement(
  signer: SampleSigner,
  {
    digest,
    predicateType = "https://slsa.dev/provenance/v1",
    builder = "https://tekton.dev/chains/v2",
  }: SampleStatement,
  payloadType = "application/vnd.in-toto+json",
) {
  const [algorithm = "", hex = ""] = digest.split(":");
  const payload = Buffer.from(
    JSON.stringify({
      _type: "https://in-toto.io/Statement/v1",
      predicateType,
      subject: [{ name: "quay.io/acme/web", digest: { [algorithm]: hex } }],
      predicate: { runDetails: { builder: { id: builder } } },
    }),
  );
  const head = Buffer.from(`DSSEv1 ${payloadType.length} ${payloadType} ${payload.length} `);
  const sig = signBytes(signer, Buffer.concat([head, payload]));
  return { payloadType, payload: payload.toString("base64"), signatures: [{ keyid: "", sig }] };
}

export const bundleMediaType = "application/vnd.dev.sigstore.bundle.v0.3+json";

/** What `cosign sign` and `cosign attest` attach since version 3. */
export function sigstoreBundle(
  content: { readonly dsseEnvelope: object } | { readonly messageSignature: object },
): object {
  return { mediaType: bundleMediaType, verificationMaterial: { publicKey: { hint: "" }, tlogEntries: [] }, ...content };
}

/** A signature of the bytes of a manifest. */
export function messageSignature(signer: SampleSigner, manifest: Uint8Array): object {
  const digest = createHash("sha256").update(manifest).digest("base64");
  return { messageDigest: { algorithm: "SHA2_256", digest }, signature: signBytes(signer, manifest) };
}

/** Pushes evidence as cosign does. */
export class EvidencePusher {
  readonly #pusher: SamplePusher;

  constructor(pusher: SamplePusher) {
    this.#pusher = pusher;
  }

  /** Under the tag `sha256-….sig`. */
  async signature(digest: string, { bytes, signature }: { readonly bytes: Buffer; readonly signature: string }) {
    const layer = await this.#pusher.blob("application/vnd.dev.cosign.simplesigning.v1+json", bytes);
    const annotations = { "dev.cosignproject.cosign/signature": signature };
    return await this.#tagged(digest, "sig", { ...layer, annotations });
  }

  /** Under the tag `sha256-….att`. */
  async attestation(digest: string, envelope: object) {
    const bytes = Buffer.from(JSON.stringify(envelope));
    const layer = await this.#pusher.blob("application/vnd.dsse.envelope.v1+json", bytes);
    const annotations = { "dev.cosignproject.cosign/signature": "", predicateType: "https://slsa.dev/provenance/v1" };
    return await this.#tagged(digest, "att", { ...layer, annotations });
  }

  /** As a referrer. */
  async bundle(subject: PushedContent, bundle: object) {
    const config = await this.#pusher.blob("application/vnd.oci.empty.v1+json", Buffer.from("{}"));
    const layer = await this.#pusher.blob(bundleMediaType, Buffer.from(JSON.stringify(bundle)));
    const { mediaType, digest, size } = subject;
    const manifest = {
      schemaVersion: 2,
      mediaType: ociManifestType,
      artifactType: bundleMediaType,
      config,
      layers: [layer],
      subject: { mediaType, digest, size },
      annotations: { "dev.sigstore.bundle.content": "dsse-envelope" },
    };
    return await this.#pusher.manifest(ociManifestType, JSON.stringify(manifest));
  }

  async #tagged(digest: string, suffix: string, layer: object) {
    const config = await this.#pusher.blob("application/vnd.oci.image.config.v1+json", Buffer.from("{}"));
    const manifest = { schemaVersion: 2, mediaType: ociManifestType, config, layers: [layer] };
    const tag = `${digest.replace(":", "-")}.${suffix}`;
    return await this.#pusher.manifest(ociManifestType, JSON.stringify(manifest), tag);
  }
}

const ociManifestType = "application/vnd.oci.image.manifest.v1+json";
