export { type Api, type ApiAnswer, connect } from "./api.ts";
export { type Footprint, footprint } from "./footprint.ts";
export { temporaryHome } from "./temporary-home.ts";
export { useNamespace, type World } from "./use-namespace.ts";
