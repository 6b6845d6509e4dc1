import { type Clock, describeError, InputError } from "#base";
import { ForgeError, openForge } from "#forge";
import type { KubeClient, ObjectStore } from "#kube";
import type { GroupDeps, PullRequestAnswer } from "../snapshots/group-snapshot.ts";
import { retriedMs } from "./decide-build-report.ts";
import { findReportCredentials } from "./report-credentials.ts";
import { findTarget } from "./report-destination.ts";

interface AskDeps {
  readonly client: KubeClient;
  readonly clock: Pick<Clock, "now">;
  readonly components: Pick<ObjectStore, "get">;
}

/**
 * Asks the forge whether the pull request of a Snapshot is open. One that no one may ask about counts as open: it was built, and
 * a group that is tested in vain harms less than one that is not tested.
 */
export function askPullRequest({ client, clock, components }: AskDeps): GroupDeps["askPullRequest"] {
  return async ({ snapshot, row }, signal): Promise<PullRequestAnswer> => {
    const found = findTarget(snapshot, components.get(`${snapshot.namespace}/${row.name}`));
    if (found.kind === "problem") return { isOpen: true, problem: found.message };
    const { target } = found;
    const { forge: kind, repository, pullRequest } = target;
    if (pullRequest === undefined) return { isOpen: true, problem: "the build did not say its number" };
    try {
      const { credentials, certificateAuthority } = await findReportCredentials(
        snapshot.namespace,
        target,
        client,
        signal,
      );
      await using opened = await openForge({ kind, repository, credentials, certificateAuthority, clock });
      return { isOpen: (await opened.forge.readPullRequest(pullRequest, signal)).state === "open" };
    } catch (error) {
      signal.throwIfAborted();
      const age = clock.now() - Date.parse(snapshot.object.metadata.creationTimestamp ?? "");
      const isFinal = error instanceof InputError || (error instanceof ForgeError && age > retriedMs);
      if (!isFinal) throw error;
      return { isOpen: true, problem: describeError(error) };
    }
  };
}
