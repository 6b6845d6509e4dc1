export { type FetchedCommit, fetchRef, refNotFound } from "./fetch-ref.ts";
export { explainGitError, GitError } from "./git-error.ts";
export { type GitLocation, isRemoteRepository, parseGitLocation } from "./git-location.ts";
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
