import type { OpenPullRequest, PullRequestBranches } from "#forge";
import type { ProposedDigests } from "./decide-proposal.ts";
import { readMarker, shortDigest } from "./proposal-text.ts";

/**
 * An open pull request of another program, such as Renovate, that proposes the same digests to the same branch. Such programs name
 * the digest in the title, by its first seven digits. Pull requests of Tenon are for other stages.
 */
export function findRival(
  open: readonly OpenPullRequest[],
  ours: PullRequestBranches,
  wanted: ProposedDigests,
): OpenPullRequest | undefined {
  const digests = Object.values(wanted).map(shortDigest);
  return open.find(({ branches, title, body }) => {
    if (branches.base !== ours.base || branches.head === ours.head || readMarker(body) !== undefined) return false;
    const text = `${title}\n${body}`;
    return digests.every((digest) => text.includes(digest));
  });
}
