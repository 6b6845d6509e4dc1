import { tmpdir } from "node:os";
import { InputError } from "#base";
import { explainGitError, runGit } from "#git";

/**
 * The commit that a branch or a tag of a repository stands for, so that a pipeline and its tasks come from one commit. What
 * may pass by itself is thrown; it is never left to the branch, which may move while the pipeline runs.
 */
export async function resolveRevision(url: string, revision: string, signal: AbortSignal): Promise<string> {
  const where = `${url} at ${revision}`;
  if (!url.startsWith("https://")) {
    throw new InputError("expected an https:// address of a repository", { where, next: "change url of the pipeline" });
  }
  const names = [revision, `${revision}^{}`];
  const args = ["ls-remote", "--quiet", "--end-of-options", url, ...names];
  let output: string;
  try {
    output = (await runGit(args, { directory: tmpdir() }, signal)).toString();
  } catch (error) {
    throw explainGitError(error, { repository: url });
  }
  const found = output.split("\n").map((line) => line.split("\t"));
  const commit = [`refs/tags/${revision}^{}`, `refs/heads/${revision}`, `refs/tags/${revision}`, revision]
    .map((name) => found.find(([, ref]) => ref === name)?.[0])
    .find((text) => text !== undefined);
  if (commit !== undefined) return commit;
  throw new InputError("the revision does not exist", { where, next: "change revision of the pipeline" });
}
