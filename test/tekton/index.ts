export { PipelinePlayer, type PlayedRun, type PlayedTask, testOutput } from "./pipeline-player.ts";
export { installTektonKinds, removeTektonKinds } from "./tekton-kinds.ts";
