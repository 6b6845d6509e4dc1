export { readTektonProgram } from "./tekton-programs.ts";
export { type AddonStartOptions, startWithAddons } from "./start-with-addons.ts";
