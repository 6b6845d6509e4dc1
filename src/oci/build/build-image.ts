import { createHash } from "node:crypto";
import { once } from "node:events";
import { createGzip } from "node:zlib";
import type { BuiltImage, ImageBlob } from "../image-name.ts";
import type { ImageLayer } from "./image-layer.ts";
import { layerMembers } from "./layer-members.ts";
import { writeTar } from "./write-tar.ts";

export interface BuildImageOptions {
  /** `repository:tag`. */
  readonly name: string;
  /** Lowest first: what changes least. */
  readonly layers: readonly ImageLayer[];
  readonly entrypoint: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** `uid` or `uid:gid`; a name would need a look into the image, and Kubernetes cannot judge a name to be no root. */
  readonly user?: string;
  readonly workingDirectory?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly ports?: readonly number[];
  /** `none` is much faster and twice as large: for images that only a test will see. */
  readonly compression?: "gzip" | "none";
}

interface Layer {
  readonly blob: ImageBlob;
  /** Of the tar file before compression, as the configuration lists it. */
  readonly diffId: string;
}

const mediaTypes = {
  manifest: "application/vnd.oci.image.manifest.v1+json",
  config: "application/vnd.oci.image.config.v1+json",
  gzip: "application/vnd.oci.image.layer.v1.tar+gzip",
  none: "application/vnd.oci.image.layer.v1.tar",
} as const;

const architectures: Readonly<Record<string, string>> = { x64: "amd64", arm64: "arm64" };

/** An image could tell when it was made; then it would be another one each time. */
const created = "1970-01-01T00:00:00Z";

/** Makes an image out of files of this machine, for its architecture, without a container runtime. */
export async function buildImage(options: BuildImageOptions): Promise<BuiltImage> {
  const folders = new Set<string>();
  const layers: Layer[] = [];
  for (const layer of options.layers) layers.push(await makeLayer(layer, folders, options.compression ?? "gzip"));
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

async function makeLayer(layer: ImageLayer, folders: Set<string>, compression: "gzip" | "none"): Promise<Layer> {
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
