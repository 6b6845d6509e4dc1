import { isRecord } from "#base";
import { keyOf, type KubeObject } from "#kube";
import { promotionLabels } from "../kinds/promotion-names.ts";
import { buildStartOf } from "../releases/build-start.ts";
import { readSnapshot } from "../scenarios/tested-snapshot.ts";

/**
 * The digests that a moving tag must not be taken away from: those of newer Snapshots. A Snapshot also carries the images that
 * its other components had at the time; such an image makes the Snapshot newer only if no older Snapshot has it, because else a
 * release of `web` would be lost to a later build of `api` that still carries the `web` before.
 */
export function newerDigests(released: KubeObject, snapshots: Iterable<KubeObject>): ReadonlySet<string> {
  const start = startOf(released);
  const newer = new Set<string>();
  const carried = new Set<string>();
  const older = new Set<string>();
  for (const snapshot of snapshots) {
    if (keyOf(snapshot) === keyOf(released) || !readSnapshot(snapshot).isPush) continue;
    const isNewer = startOf(snapshot) > start;
    const brought = broughtBy(snapshot);
    for (const { name, digest } of digestsOf(snapshot)) {
      const group = !isNewer ? older : brought === undefined || brought === name ? newer : carried;
      group.add(digest);
    }
  }
  for (const digest of carried) if (!older.has(digest)) newer.add(digest);
  // What this Snapshot releases is never newer than itself.
  for (const { digest } of digestsOf(released)) newer.delete(digest);
  return newer;
}

/** When its build started; of a Snapshot made by hand, when it was created. */
function startOf(snapshot: KubeObject): number {
  return buildStartOf(snapshot) ?? (Date.parse(snapshot.metadata.creationTimestamp ?? "") || 0);
}

/** The component that a Snapshot was made for; undefined if it was made for all of them. */
function broughtBy({ metadata: { labels = {} } }: KubeObject): string | undefined {
  return labels[promotionLabels.snapshotType] === "override" ? undefined : labels[promotionLabels.component];
}

function digestsOf({ spec }: KubeObject): { readonly name: string; readonly digest: string }[] {
  const components = isRecord(spec) && Array.isArray(spec["components"]) ? spec["components"].filter(isRecord) : [];
  return components.flatMap(({ name, containerImage }) => {
    const image = String(containerImage);
    const at = image.lastIndexOf("@");
    return at < 0 ? [] : [{ name: String(name), digest: image.slice(at + 1) }];
  });
}
