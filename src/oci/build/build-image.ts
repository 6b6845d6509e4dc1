import { createHash } from "node:crypto";
import { once } from "node:events";
import { createGzip } from "node:zlib";
import { type ImageLayer, layerMembers } from "./image-layer.ts";
import { writeTar } from "./write-tar.ts";

/** Bytes of an image, addressed by their digest. */
export interface ImageBlob {
  readonly mediaType: string;
  readonly digest: string;
  readonly bytes: Buffer;
}

/** An image in memory, as a registry or an archive stores it. */
export interface BuiltImage {
  /** `repository:tag` as users write it. */
  readonly name: string;
  readonly manifest: ImageBlob;
  readonly config: ImageBlob;
  readonly layers: readonly ImageBlob[];
  /** The digest of the manifest, by which the image is pulled. Equal inputs give an equal digest. */
  readonly digest: string;
}

export interface BuildImageOptions {
  /** `repository:tag`. */
  readonly name: string;
  /** Lowest first. The lowest layer should change least often. */
  readonly layers: readonly ImageLayer[];
  readonly entrypoint: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** `uid` or `uid:gid`. Kubernetes cannot tell from a name that a user is not root. */
  readonly user?: string;
  readonly workingDirectory?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly ports?: readonly number[];
  /** `none` is much faster and twice as large: for images that only tests use. */
  readonly compression?: "gzip" | "none";
}

interface Layer {
  readonly blob: ImageBlob;
  /** Digest of the uncompressed tar file, as the image configuration lists it. */
  readonly diffId: string;
}

const mediaTypes = {
  manifest: "application/vnd.oci.image.manifest.v1+json",
  config: "application/vnd.oci.image.config.v1+json",
  gzip: "application/vnd.oci.image.layer.v1.tar+gzip",
  none: "application/vnd.oci.image.layer.v1.tar",
} as const;

const architectures: Readonly<Record<string, string>> = { x64: "amd64", arm64: "arm64" };

/** A fixed time, so that equal inputs give an equal digest. */
const created = "1970-01-01T00:00:00Z";

/** Builds an image from files of this machine, for its architecture, without a container runtime. */
export async function buildImage(options: BuildImageOptions): Promise<BuiltImage> {
  const folders = new Set<string>();
  const layers: Layer[] = [];
  for (const layer of options.layers) layers.push(await buildLayer(layer, folders, options.compression ?? "gzip"));
  const config = jsonBlob(mediaTypes.config, configuration(options, layers));
  const blobs = layers.map(({ blob }) => blob);
  const manifest = jsonBlob(mediaTypes.manifest, {
    schemaVersion: 2,
    mediaType: mediaTypes.manifest,
    config: descriptor(config),
    layers: blobs.map(descriptor),
  });
  return { name: options.name, manifest, config, layers: blobs, digest: manifest.digest };
}

/** How a manifest or an index refers to a blob. */
export function descriptor({ mediaType, digest, bytes }: ImageBlob): {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
} {
  return { mediaType, digest, size: bytes.length };
}

function configuration(options: BuildImageOptions, layers: readonly Layer[]): unknown {
  const { entrypoint, env = {}, user, workingDirectory, labels, ports = [] } = options;
  return {
    created,
    architecture: architectures[process.arch] ?? process.arch,
    os: "linux",
    config: {
      Entrypoint: entrypoint,
      Env: Object.entries(env).map(([name, value]) => `${name}=${value}`),
      ...(user === undefined ? {} : { User: user }),
      ...(workingDirectory === undefined ? {} : { WorkingDir: workingDirectory }),
      ...(labels === undefined ? {} : { Labels: labels }),
      ...(ports.length === 0 ? {} : { ExposedPorts: Object.fromEntries(ports.map((port) => [`${port}/tcp`, {}])) }),
    },
    rootfs: { type: "layers", diff_ids: layers.map(({ diffId }) => diffId) },
    history: options.layers.map(({ comment }) => ({ created, created_by: comment })),
  };
}

async function buildLayer(layer: ImageLayer, folders: Set<string>, compression: "gzip" | "none"): Promise<Layer> {
  const diff = createHash("sha256");
  const chunks: Buffer[] = [];
  const tar = writeTar(await layerMembers(layer, folders));
  if (compression === "none") {
    for await (const chunk of tar) {
      diff.update(chunk);
      chunks.push(Buffer.from(chunk));
    }
  } else {
    const gzip = createGzip();
    gzip.on("data", (chunk: Buffer) => chunks.push(chunk));
    const end = once(gzip, "end");
    for await (const chunk of tar) {
      diff.update(chunk);
      if (!gzip.write(chunk)) await once(gzip, "drain");
    }
    gzip.end();
    await end;
  }
  const bytes = Buffer.concat(chunks);
  // zlib names the operating system in the tenth byte; 255 is "unknown".
  if (compression === "gzip") bytes[9] = 255;
  return { blob: blobOf(mediaTypes[compression], bytes), diffId: `sha256:${diff.digest("hex")}` };
}

/** A blob whose bytes are `value` as JSON. */
export function jsonBlob(mediaType: string, value: unknown): ImageBlob {
  return blobOf(mediaType, Buffer.from(JSON.stringify(value)));
}

function blobOf(mediaType: string, bytes: Buffer): ImageBlob {
  return { mediaType, bytes, digest: `sha256:${createHash("sha256").update(bytes).digest("hex")}` };
}
