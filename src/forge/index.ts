export { ForgeError } from "./forge-error.ts";
export {
  type CheckDetails,
  type CommitState,
  type CommitStatus,
  type Forge,
  type ForgeRepository,
  type GitLogin,
  type MergeMethod,
  type MergeRequestOutcome,
  type NewPullRequest,
  type OpenPullRequest,
  type PullRequest,
  type PullRequestBranches,
  type PullRequestText,
} from "./forge.ts";
export { isSignedWebhook, type WebhookDelivery } from "./webhook-signature.ts";
export {
  type ForgeCredentials,
  type ForgeKind,
  openForge,
  type OpenForgeOptions,
  type OpenedForge,
} from "./open-forge.ts";
