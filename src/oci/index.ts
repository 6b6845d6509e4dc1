export {
  baseEntries,
  folderEntries,
  gitLayer,
  nodePath,
  nodeRuntimeLayer,
  unprivilegedUser,
} from "./build/layer-entries.ts";
export { fullImageName } from "./image-name.ts";
export type { ImageLayer, LayerEntry } from "./build/image-layer.ts";
export { buildImage, type BuildImageOptions, type BuiltImage, type ImageBlob } from "./build/build-image.ts";
export { programEntries } from "./build/program-entries.ts";
export { writeImageArchive } from "./build/write-image-archive.ts";

export type { Companion } from "./registry/companions.ts";
export { copyImage, type CopyOptions, type CopyResult } from "./registry/copy-image.ts";
export { isDigest } from "./registry/digest.ts";
export {
  combineDockerConfigs,
  type DockerConfigText,
  mergeCredentials,
  parseDockerConfig,
  type RegistryCredentials,
} from "./registry/docker-config.ts";
export {
  formatImageReference,
  formatRepository,
  type ImageReference,
  parseImageReference,
  parseTag,
  type RepositoryName,
} from "./registry/image-reference.ts";
export {
  type ImageFacts,
  type ImageSummary,
  inspectImage,
  type PlatformSummary,
  readImageFacts,
} from "./registry/image-summary.ts";
export { openRegistries, type Registries, type RegistrySettings } from "./registry/open-registries.ts";
export {
  absentTag,
  describeTagMoveReason,
  planTagMove,
  type TagFacts,
  type TagMove,
  type TagMoveReason,
} from "./registry/plan-tag-move.ts";
export { RegistryError } from "./registry/registry-error.ts";
export {
  resolveDigest,
  resolveVerifiedDigest,
  retag,
  type RetagOptions,
  type RetagResult,
  type TagOutcome,
  type TagRequest,
} from "./registry/retag.ts";
export type { CopyProgress } from "./registry/transfer-blobs.ts";

export { parseVerificationKeys, type VerificationKey } from "./signatures/verification-key.ts";
export {
  describeMissing,
  type ImageVerification,
  type JudgedEvidence,
  type VerificationPart,
  verificationParts,
  type VerificationRules,
  verifyImage,
} from "./signatures/verify-image.ts";
