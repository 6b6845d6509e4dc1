export { PlugData } from "./plug-data.ts";
export {
  keepsPlaceInPlugs,
  type RenderingTraits,
  type PlugOptions,
  PlugTemplate,
  type PlugRendering,
} from "./plug-template.ts";
export { renderObject } from "./render-object.ts";
