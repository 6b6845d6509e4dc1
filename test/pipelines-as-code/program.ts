import { dirname, join } from "node:path";
import { hashModule, moduleDirectory, readBuildFlags } from "#cluster";
import { ensureTestProgram } from "../harness/ensure-test-program.ts";

const directory = join(import.meta.dirname, "program");
const module = "github.com/openshift-pipelines/pipelines-as-code";

export interface PipelinesAsCodePrograms {
  /** Receives webhooks and creates PipelineRuns. */
  readonly controller: string;
  /** Reports the ends of PipelineRuns to the forge. */
  readonly watcher: string;
}

/** The programs of Pipelines-as-Code, built first if need be; most of it Go has compiled for Tekton. */
export async function ensurePipelinesAsCode(signal: AbortSignal): Promise<PipelinesAsCodePrograms> {
  const goBuildFlags = await readBuildFlags({});
  const controller = await ensureTestProgram(
    "pipelines-as-code",
    {
      name: "pipelines-as-code-controller",
      title: "Pipelines-as-Code",
      directory,
      package: `${module}/cmd/pipelines-as-code-controller`,
      companions: [`${module}/cmd/pipelines-as-code-watcher`],
      goBuildFlags,
      hash: await hashModule(directory, goBuildFlags),
    },
    signal,
  );
  return { controller, watcher: join(dirname(controller), "pipelines-as-code-watcher") };
}

/** Where its manifests are. */
export async function pipelinesAsCodeManifests(): Promise<string> {
  return join(await moduleDirectory(directory, module), "config");
}
