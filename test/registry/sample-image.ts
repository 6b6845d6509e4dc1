import { createHash, randomBytes } from "node:crypto";

/** Bytes in a registry, as manifests refer to them. */
export interface PushedContent {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

export interface SampleImage extends PushedContent {
  readonly bytes: Buffer;
  readonly children: readonly PushedContent[];
}

export const ociIndex = "application/vnd.oci.image.index.v1+json";
export const ociManifest = "application/vnd.oci.image.manifest.v1+json";
const config = "application/vnd.oci.image.config.v1+json";
const layer = "application/vnd.oci.image.layer.v1.tar";

/** Pushes content to a registry with nothing but fetch, so that tests do not depend on the client that they test. */
export class SamplePusher {
  readonly #base: string;

  constructor(registry: URL, repository: string) {
    this.#base = `${registry.origin}/v2/${repository}`;
  }

  async blob(mediaType: string, bytes: Uint8Array): Promise<PushedContent> {
    const digest = digestOf(bytes);
    const begun = await fetch(`${this.#base}/blobs/uploads/`, { method: "POST" });
    const location = new URL(begun.headers.get("location") ?? "", this.#base);
    location.searchParams.set("digest", digest);
    await expectStatus(
      await fetch(location, {
        method: "PUT",
        body: Buffer.from(bytes),
        headers: { "content-type": "application/octet-stream" },
      }),
      201,
    );
    return { mediaType, digest, size: bytes.length };
  }

  /** Pushes the text as it is, under a tag or under its digest. */
  async manifest(mediaType: string, text: string, tag?: string): Promise<PushedContent & { bytes: Buffer }> {
    const bytes = Buffer.from(text);
    const digest = digestOf(bytes);
    const answer = await fetch(`${this.#base}/manifests/${tag ?? digest}`, {
      method: "PUT",
      body: bytes,
      headers: { "content-type": mediaType },
    });
    await expectStatus(answer, 201);
    return { mediaType, digest, size: bytes.length, bytes };
  }

  /** An image of one platform with a layer of random bytes; `name` makes its config unique. */
  async image(name: string, layers: readonly Uint8Array[] = [randomBytes(2000)], tag?: string): Promise<SampleImage> {
    const settings = {
      architecture: name,
      os: "linux",
      created: "2026-01-02T03:04:05Z",
      config: { Labels: { "org.opencontainers.image.title": name } },
    };
    const pushed = await this.blob(config, Buffer.from(JSON.stringify(settings)));
    const parts = [];
    for (const bytes of layers) parts.push(await this.blob(layer, bytes));
    const manifest = { schemaVersion: 2, mediaType: ociManifest, config: pushed, layers: parts };
    return { ...(await this.manifest(ociManifest, JSON.stringify(manifest), tag)), children: [] };
  }

  /** Two platforms, and an index with white space that no program would write. */
  async index(tag?: string, layerBytes = 2000): Promise<SampleImage> {
    const children = [];
    for (const name of ["amd64", "arm64"]) children.push(await this.image(name, [randomBytes(layerBytes)]));
    const manifests = children.map(({ mediaType, digest, size }, place) => ({
      mediaType,
      digest,
      size,
      platform: { os: "linux", architecture: place === 0 ? "amd64" : "arm64" },
    }));
    const text = `${JSON.stringify({ schemaVersion: 2, mediaType: ociIndex, manifests }, undefined, 3)}\n\n \t\n`;
    return { ...(await this.manifest(ociIndex, text, tag)), children };
  }

  /** What cosign pushes for a digest: an image under a tag made of it. */
  async companion(subject: string, suffix: "sig" | "att" | "sbom"): Promise<PushedContent> {
    return await this.image(`${suffix} of ${subject}`, [randomBytes(100)], `${subject.replace(":", "-")}.${suffix}`);
  }

  /** An artifact that names another manifest as its subject. */
  async referrer(subject: PushedContent, artifactType: string): Promise<PushedContent> {
    const empty = await this.blob("application/vnd.oci.empty.v1+json", Buffer.from("{}"));
    const part = await this.blob("text/plain", randomBytes(50));
    const { mediaType, digest, size } = subject;
    const artifact = {
      schemaVersion: 2,
      mediaType: ociManifest,
      artifactType,
      config: empty,
      layers: [part],
      subject: { mediaType, digest, size },
    };
    return await this.manifest(ociManifest, JSON.stringify(artifact));
  }
}

/** What a registry gives for a tag or digest, by fetch alone; undefined for 404. */
export async function readRaw(
  registry: URL,
  repository: string,
  reference: string,
): Promise<{ readonly bytes: Buffer; readonly mediaType: string | null; readonly digest: string } | undefined> {
  const accept = { accept: `${ociIndex}, ${ociManifest}` };
  const answer = await fetch(`${registry.origin}/v2/${repository}/manifests/${reference}`, { headers: accept });
  const bytes = Buffer.from(await answer.arrayBuffer());
  if (answer.status === 404) return undefined;
  await expectStatus(answer, 200);
  return { bytes, mediaType: answer.headers.get("content-type"), digest: digestOf(bytes) };
}

function digestOf(bytes: Uint8Array): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}

async function expectStatus(answer: Response, status: number): Promise<void> {
  if (answer.status === status) return;
  throw new Error(`${answer.url} answers ${answer.status}: ${answer.bodyUsed ? "" : await answer.text()}`);
}
