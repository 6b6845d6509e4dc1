import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { z } from "zod";
import { buildEnvironment, hashModule, readBuildFlags } from "#cluster";
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
  const arguments_ = ["mod", "download", "-json", "code.gitea.io/gitea"];
  const { stdout } = await promisify(execFile)("go", arguments_, { cwd: directory, env: buildEnvironment() });
  return z.object({ Dir: z.string() }).parse(JSON.parse(stdout)).Dir;
}
