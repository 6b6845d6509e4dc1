export { PlugData } from "./plug-data.ts";
export { type Apart, type Origin, type PlugOptions, PlugTemplate, type Rendered } from "./plug-template.ts";
export { renderObject } from "./render-object.ts";
