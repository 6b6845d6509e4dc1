import { dirname, join } from "node:path";
import { clusterHome, ensureProgram, type GoProgram } from "#cluster";
import { reportBuild } from "./report-build.ts";

/** The path of a Go program that tests run, built first if need be, in a folder of the user's cache. */
export async function ensureTestProgram(folder: string, program: GoProgram, signal: AbortSignal): Promise<string> {
  const cache = join(dirname(clusterHome().cache), folder);
  return (await ensureProgram(cache, program, reportBuild(30_000, program.title), signal)).path;
}
