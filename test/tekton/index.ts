export { PipelinePlayer, type PlayedFailure, type PlayedRun, type PlayedTask, testOutput } from "./pipeline-player.ts";
export { installTektonKinds, removeTektonKinds } from "./tekton-kinds.ts";
export { LargeApplication, type StartedBuild } from "./large-application.ts";
