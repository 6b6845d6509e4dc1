export { type CommitContent, commitFiles, type GitIdentity } from "./commit-files.ts";
export { type FetchedCommit, fetchRef, gitCache, type RemoteRef, refNotFound } from "./fetch-ref.ts";
export type { GitCredentials, GitRemote } from "./git-credentials.ts";
export { explainGitError, GitError } from "./git-error.ts";
export { type GitLocation, isRemoteRepository, parseGitLocation } from "./git-location.ts";
export { type PushOutcome, pushBranch, type RemoteBranch, readRemoteHead } from "./push-branch.ts";
export {
  findCommit,
  type GitCommit,
  type GitFile,
  listFiles,
  listRefs,
  prefixInRepository,
  readBlobs,
} from "./repository.ts";
export { type GitOptions, runGit } from "./run-git.ts";
export { type GitServer, type GitServerOptions, startGitServer } from "./serve-repositories.ts";
