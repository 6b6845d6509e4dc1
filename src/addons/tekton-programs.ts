import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { packageFile } from "#base";
import {
  type BuildProgress,
  type ClusterHome,
  ensureProgram,
  type GoProgram,
  hashModule,
  readBuildFlags,
} from "#cluster";

const module = "github.com/tektoncd/pipeline";
const folder = "manifests";

/** The programs of Tekton that its manifests ask for, by the last part of their packages. */
export const tektonCommands = [
  "controller",
  "entrypoint",
  "nop",
  "resolvers",
  "sidecarlogresults",
  "webhook",
  "workingdirinit",
] as const;

export type TektonCommand = (typeof tektonCommands)[number];

/** Tekton's programs and manifests in the cache. */
export interface TektonPrograms {
  readonly version: string;
  readonly hash: string;
  /** Where the programs are, each under its name. */
  readonly directory: string;
  /** Where the manifests are. */
  readonly manifests: string;
}

/** Reads the module of Tekton and describes its programs. Nothing of ours is in them but the versions of their modules. */
export async function readTektonProgram(
  directory = packageFile("tekton"),
): Promise<GoProgram & { readonly version: string }> {
  const goBuildFlags = await readBuildFlags({});
  const [first, ...others] = tektonCommands.map((command) => `${module}/cmd/${command}`);
  return {
    name: tektonCommands[0],
    title: "Tekton",
    withoutGo: "start without --tekton",
    directory,
    package: first ?? "",
    companions: others,
    manifests: { [folder]: { module, folder: "config" } },
    hash: await hashModule(directory, goBuildFlags),
    goBuildFlags,
    version: versionOf(await readFile(join(directory, "go.mod"), "utf8")),
  };
}

/** Gives Tekton's programs from the cache, or builds them first, which takes minutes. */
export async function ensureTektonPrograms(
  home: ClusterHome,
  onProgress: (progress: BuildProgress) => void,
  signal: AbortSignal,
): Promise<TektonPrograms> {
  const program = await readTektonProgram();
  const { path } = await ensureProgram(join(dirname(home.cache), "tekton"), program, onProgress, signal);
  const directory = dirname(path);
  return { version: program.version, hash: program.hash, directory, manifests: join(directory, folder) };
}

function versionOf(goMod: string): string {
  const version = new RegExp(`^require ${module} v(\\S+)`, "m").exec(goMod)?.[1];
  if (version === undefined) throw new Error(`tekton/go.mod does not require ${module}`);
  return version;
}
