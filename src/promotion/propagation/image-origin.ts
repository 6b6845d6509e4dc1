import type { KubeObject } from "#kube";
import { pacNames, promotionAnnotations } from "../kinds/promotion-names.ts";
import { parseTestStatuses, type TestStatusEntry } from "../scenarios/test-statuses.ts";
import { pacValue, readSnapshot } from "../scenarios/tested-snapshot.ts";
import { componentsOf } from "../snapshots/judge-snapshot.ts";
import { imageName } from "./advertised-image.ts";
import type { ProposedDigests } from "./decide-proposal.ts";
import type { AdvertisedRelease } from "./released-images.ts";

/** The commit that an image was built from, as its Snapshot says: tenants write it. */
export interface SourceCommit {
  readonly repository: string;
  readonly revision: string;
  /** Commits have their pages at `/-/commit/`. */
  readonly isOnGitlab: boolean;
}

/** Where an image comes from, and where the one that it replaces came from. */
export interface ImageOrigin {
  readonly before?: SourceCommit;
  readonly after: SourceCommit;
}

/** The names of the Snapshots that tell where these digests come from, the newest first. */
export function snapshotsToRead(
  digests: readonly ProposedDigests[],
  releases: readonly AdvertisedRelease[],
): readonly string[] {
  const found = digests.flatMap((each) => Object.entries(each).map((pair) => findRelease(pair, releases)?.snapshot));
  return [...new Set(found)].filter((name) => name !== undefined).slice(0, mostSnapshots);
}

const mostSnapshots = 20;

/** The origins of proposed images, by `repository:tag`, as far as the Snapshots of their Releases tell. */
export function originsOf(
  wanted: ProposedDigests,
  present: ProposedDigests,
  releases: readonly AdvertisedRelease[],
  snapshots: ReadonlyMap<string, KubeObject>,
): Readonly<Record<string, ImageOrigin>> {
  const commitOf = (name: string, digest: string | undefined) => {
    const release = digest === undefined ? undefined : findRelease([name, digest], releases);
    const snapshot = release && snapshots.get(release.snapshot);
    return snapshot && digest !== undefined ? readCommit(snapshot, digest) : undefined;
  };
  return Object.fromEntries(
    Object.entries(wanted).flatMap(([name, digest]) => {
      const after = commitOf(name, digest);
      const before = commitOf(name, present[name]);
      return after ? [[name, { after, ...(before ? { before } : {}) }] as const] : [];
    }),
  );
}

/** The results of a Snapshot's tests. */
export function testsOf({ metadata }: KubeObject): readonly TestStatusEntry[] {
  return parseTestStatuses(metadata.annotations?.[promotionAnnotations.testStatus]);
}

function findRelease([name, digest]: readonly [string, string], releases: readonly AdvertisedRelease[]) {
  return releases.find(({ images }) => images.some((image) => imageName(image) === name && image.digest === digest));
}

function readCommit(object: KubeObject, digest: string): SourceCommit | undefined {
  const row = componentsOf(object).find(({ containerImage }) => containerImage.endsWith(`@${digest}`));
  const { url, revision } = row?.source?.git ?? {};
  if (typeof url !== "string" || typeof revision !== "string" || revision === "") return undefined;
  const snapshot = readSnapshot(object);
  // What triggered the build is said of the component that was built alone.
  const isBuilt = row?.name === snapshot.component;
  const isOnGitlab = isBuilt && pacValue(snapshot, pacNames.gitProvider) === "gitlab";
  return { repository: url, revision, isOnGitlab: isOnGitlab || /^https?:\/\/gitlab\./.test(url) };
}
