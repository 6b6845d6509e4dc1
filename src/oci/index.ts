export { baseEntries, folderEntries, nodePath, nodeRuntimeLayer, unprivilegedUser } from "./build/layer-entries.ts";
export { fullImageName } from "./image-name.ts";
export type { ImageLayer, LayerEntry } from "./build/image-layer.ts";
export { buildImage, type BuildImageOptions, type BuiltImage, type ImageBlob } from "./build/build-image.ts";
export { programEntries } from "./build/program-entries.ts";
export { writeImageArchive } from "./build/write-image-archive.ts";
