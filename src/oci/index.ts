export { baseEntries, unprivilegedUser } from "./build/base-entries.ts";
export { folderEntries } from "./build/folder-entries.ts";
export { fullImageName, type BuiltImage, type ImageBlob } from "./image-name.ts";
export type { ImageLayer, LayerEntry } from "./build/image-layer.ts";
export { type BuildImageOptions, buildImage } from "./build/build-image.ts";
export { nodePath, nodeRuntimeLayer } from "./build/node-runtime-layer.ts";
export { programEntries } from "./build/program-entries.ts";
export { writeImageArchive } from "./build/write-image-archive.ts";
