export { baseEntries, unprivilegedUser } from "./base-entries.ts";
export { folderEntries } from "./folder-entries.ts";
export { fullImageName, type Image, type ImageBlob } from "./image.ts";
export type { ImageLayer, LayerEntry } from "./image-layer.ts";
export { type ImageOptions, makeImage } from "./make-image.ts";
export { nodePath, nodeRuntimeLayer } from "./node-runtime-layer.ts";
export { programEntries } from "./program-entries.ts";
export { writeImageArchive } from "./write-image-archive.ts";
