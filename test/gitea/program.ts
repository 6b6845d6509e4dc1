import { join } from "node:path";
import { hashModule, moduleDirectory, readBuildFlags } from "#cluster";
import { ensureTestProgram } from "../harness/ensure-test-program.ts";

const directory = join(import.meta.dirname, "program");

/** The path of Gitea, built first if need be: ten minutes of processor time. */
export async function ensureGitea(signal: AbortSignal): Promise<string> {
  const goBuildFlags = await readBuildFlags({});
  const hash = await hashModule(directory, goBuildFlags);
  return ensureTestProgram("gitea", { name: "gitea", title: "Gitea", directory, goBuildFlags, hash }, signal);
}

/** Where Gitea's module is: it reads templates, locales and pictures from its sources. */
export async function giteaSources(): Promise<string> {
  return moduleDirectory(directory, "code.gitea.io/gitea");
}
