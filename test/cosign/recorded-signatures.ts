import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ociManifest, type SamplePusher } from "#registry";

export const recordedFile = join(import.meta.dirname, "signatures.json");

/** What cosign pushed, in the order in which a registry takes it. */
export type RecordedContent =
  | { readonly kind: "blob"; readonly mediaType: string; readonly base64: string }
  | { readonly kind: "manifest"; readonly mediaType: string; readonly text: string; readonly tag?: string };

/** An image that cosign itself signed and attested; see README.md. */
export interface RecordedSignatures {
  /** Where they hang. */
  readonly name: "tags" | "bundles";
  readonly publicKey: string;
  readonly digest: string;
  readonly manifest: string;
  readonly companions: readonly RecordedContent[];
}

export async function readRecordedSignatures(): Promise<readonly RecordedSignatures[]> {
  return JSON.parse(await readFile(recordedFile, "utf8"));
}

/** Brings an image with what cosign attached to it into a registry. */
export async function replaySignatures(
  { manifest, companions }: RecordedSignatures,
  pusher: SamplePusher,
): Promise<void> {
  await pusher.manifest(ociManifest, manifest);
  for (const content of companions) {
    if (content.kind === "blob") await pusher.blob(content.mediaType, Buffer.from(content.base64, "base64"));
    else await pusher.manifest(content.mediaType, content.text, content.tag);
  }
}
