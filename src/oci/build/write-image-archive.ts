import { createWriteStream } from "node:fs";
import { rename } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { fullImageName } from "../image-name.ts";
import { type BuiltImage, descriptor, type ImageBlob, jsonBlob } from "./build-image.ts";
import { type TarMember, writeTar } from "./write-tar.ts";

/**
 * Writes images as one file that `ctr images import`, `docker load`, podman and skopeo read: an OCI layout with Docker's
 * older `manifest.json`. The layers are stored once for both.
 */
export async function writeImageArchive(images: readonly BuiltImage[], file: string): Promise<void> {
  const unfinished = `${file}.unfinished`;
  await pipeline(Readable.from(writeTar(membersOf(images))), createWriteStream(unfinished));
  await rename(unfinished, file);
}

function membersOf(images: readonly BuiltImage[]): TarMember[] {
  const blobs = new Map<string, ImageBlob>();
  for (const { manifest, config, layers } of images) {
    for (const blob of [manifest, config, ...layers]) blobs.set(blob.digest, blob);
  }
  return [
    jsonMember("oci-layout", { imageLayoutVersion: "1.0.0" }),
    jsonMember("index.json", {
      schemaVersion: 2,
      mediaType: "application/vnd.oci.image.index.v1+json",
      manifests: images.map(indexEntry),
    }),
    jsonMember(
      "manifest.json",
      images.map(({ name, config, layers }) => ({
        Config: pathOf(config),
        RepoTags: [name],
        Layers: layers.map(pathOf),
      })),
    ),
    { name: "blobs", kind: "directory", mode: 0o755, size: 0 },
    { name: "blobs/sha256", kind: "directory", mode: 0o755, size: 0 },
    ...[...blobs.values()].map((blob) => fileMember(pathOf(blob), blob.bytes)),
  ];
}

function indexEntry(image: BuiltImage): unknown {
  const name = fullImageName(image.name);
  return {
    ...descriptor(image.manifest),
    annotations: {
      "io.containerd.image.name": name,
      "org.opencontainers.image.ref.name": name.slice(name.lastIndexOf(":") + 1),
    },
  };
}

function pathOf({ digest }: ImageBlob): string {
  return `blobs/${digest.replace(":", "/")}`;
}

function jsonMember(name: string, value: unknown): TarMember {
  return fileMember(name, jsonBlob("", value).bytes);
}

function fileMember(name: string, contents: Buffer): TarMember {
  return { name, kind: "file", mode: 0o644, size: contents.length, contents };
}
