import { ApiError, type KubeClient, type KubeObject, type NewObject } from "#kube";
import { mostNames, snapshotName } from "./snapshot-name.ts";

export interface SnapshotOrigin {
  /** Unique for each build: the names of its Snapshot derive from it. */
  readonly id: string;
  /** Milliseconds since 1970; undefined for a build that may be declared at any time. */
  readonly startedAt: number | undefined;
  /** Whether a Snapshot is of the same origin. */
  readonly isSame: (snapshot: KubeObject) => boolean;
}

/**
 * Creates the Snapshot under the first free name, and returns it. One that exists already for the same origin was created
 * before a kill, and is returned instead.
 */
export async function createSnapshot(
  snapshot: NewObject,
  { id, startedAt, isSame }: SnapshotOrigin,
  client: Pick<KubeClient, "create" | "find">,
  signal: AbortSignal,
): Promise<KubeObject> {
  const { apiVersion, kind, metadata } = snapshot;
  const owner = metadata.ownerReferences?.[0]?.name ?? "snapshot";
  for (let attempt = 0; ; attempt++) {
    const name = snapshotName(owner, startedAt, id, attempt);
    try {
      return await client.create({ ...snapshot, metadata: { ...metadata, name } }, {}, signal);
    } catch (error) {
      if (!(error instanceof ApiError && error.isAlreadyExists) || attempt === mostNames) throw error;
    }
    const existing = await client.find({ apiVersion, kind, namespace: metadata.namespace, name }, signal);
    if (existing && isSame(existing)) return existing;
  }
}
