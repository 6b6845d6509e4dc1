import { z } from "zod";
import { InputError } from "#base";
import { isDigest } from "./digest.ts";

/** A manifest or an index as the registry stores it. */
export interface Manifest {
  readonly digest: string;
  readonly mediaType: string;
  /** Unchanged: another spelling of the same JSON has another digest. */
  readonly bytes: Buffer;
}

const DescriptorSchema = z.looseObject({
  mediaType: z.string(),
  digest: z.string().refine(isDigest, "expected a sha256 or sha512 digest"),
  size: z.number().int().nonnegative(),
  urls: z.array(z.string()).optional(),
  artifactType: z.string().optional(),
  annotations: z.record(z.string(), z.string()).optional(),
  platform: z.looseObject({ os: z.string(), architecture: z.string(), variant: z.string().optional() }).optional(),
});
/** How manifests refer to other content: https://github.com/opencontainers/image-spec/blob/main/descriptor.md */
export type Descriptor = z.infer<typeof DescriptorSchema>;

const ManifestSchema = z.looseObject({
  mediaType: z.string().optional(),
  artifactType: z.string().optional(),
  manifests: z.array(DescriptorSchema).nullish(),
  config: DescriptorSchema.nullish(),
  layers: z.array(DescriptorSchema).nullish(),
  /** Of the artifact manifest that OCI 1.1 had before its release. */
  blobs: z.array(DescriptorSchema).nullish(),
  subject: DescriptorSchema.nullish(),
  annotations: z.record(z.string(), z.string()).nullish(),
});

/** What a manifest refers to. */
export interface ManifestContent {
  readonly children: readonly Descriptor[];
  readonly config: Descriptor | undefined;
  /** Config and layers, but for layers that registries do not hold. */
  readonly blobs: readonly Descriptor[];
  readonly subject: Descriptor | undefined;
  readonly artifactType: string | undefined;
  readonly annotations: Readonly<Record<string, string>>;
}

export const mediaTypes = {
  ociIndex: "application/vnd.oci.image.index.v1+json",
  ociManifest: "application/vnd.oci.image.manifest.v1+json",
  dockerList: "application/vnd.docker.distribution.manifest.list.v2+json",
  dockerManifest: "application/vnd.docker.distribution.manifest.v2+json",
  artifact: "application/vnd.oci.artifact.manifest.v1+json",
} as const;

/** All that Tenon understands; a registry converts an image for clients that do not name its type. */
export const acceptedManifests: string = Object.values(mediaTypes).join(", ");

export function isIndex(mediaType: string): boolean {
  return mediaType === mediaTypes.ociIndex || mediaType === mediaTypes.dockerList;
}

/** `where` names the manifest in messages. */
export function readManifestContent(
  { bytes, mediaType }: Pick<Manifest, "bytes" | "mediaType">,
  where: string,
): ManifestContent {
  if (/manifest\.v1\+(?:json|prettyjws)$/.test(mediaType) && mediaType.includes("docker")) {
    throw new InputError("the image has the format of Docker before 1.10 (schema 1)", {
      where,
      next: "pull it and push it again with a current client",
    });
  }
  const { manifests, config, layers, blobs, subject, artifactType, annotations } = parse(bytes, where);
  return {
    children: manifests ?? [],
    config: config ?? undefined,
    blobs: [...(config ? [config] : []), ...(layers ?? []), ...(blobs ?? [])].filter((blob) => !isForeign(blob)),
    subject: subject ?? undefined,
    artifactType: artifactType ?? config?.mediaType,
    annotations: annotations ?? {},
  };
}

/** The media type in the manifest itself, for registries that do not tell it. */
export function innerMediaType(bytes: Buffer): string | undefined {
  try {
    const { mediaType, manifests } = ManifestSchema.parse(JSON.parse(bytes.toString()));
    return mediaType ?? (manifests ? mediaTypes.ociIndex : mediaTypes.ociManifest);
  } catch {
    return undefined;
  }
}

function parse(bytes: Buffer, where: string): z.infer<typeof ManifestSchema> {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString());
  } catch (cause) {
    throw new InputError("not a manifest: it is not valid JSON", { where, next: "push the image again", cause });
  }
  const parsed = ManifestSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new InputError(`not a valid manifest: ${issue?.path.join(".")}: ${issue?.message}`, {
    where,
    next: "push the image again",
  });
}

/** Layers that are fetched from elsewhere: https://github.com/opencontainers/image-spec/blob/main/layer.md#non-distributable-layers */
function isForeign({ mediaType, urls = [] }: Descriptor): boolean {
  return urls.length > 0 && /\.(?:foreign|nondistributable)\./.test(mediaType);
}
