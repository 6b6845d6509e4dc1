export { ensureCrane } from "./programs.ts";
export { ociIndex, ociManifest, type PushedContent, readRaw, type SampleImage, SamplePusher } from "./sample-image.ts";
export {
  type LastingRegistry,
  startEmbeddedRegistry,
  startLibraryRegistry,
  type TestRegistry,
} from "./start-registry.ts";
export { startTokenProxy, type TokenProxy } from "./token-proxy.ts";
