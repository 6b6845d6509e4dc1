import { afterAll } from "vitest";
import { askRun } from "../harness/ask-run.ts";
import { TestGitea } from "./test-gitea.ts";

/** Gives the test file the Gitea that all files of the run share; accounts and repositories are its own. Call it at the top level. */
export async function useGitea(): Promise<TestGitea> {
  const gitea = new TestGitea(JSON.parse(await askRun("/gitea")));
  afterAll(() => gitea[Symbol.asyncDispose]());
  return gitea;
}
