import { type KubeObject, keyOf } from "#kube";
import { Application, Component, readSnapshot, readSnapshotState, Snapshot, type SnapshotView } from "#promotion";
import { findObjects, type GetCoupledChoice } from "../couple/get-coupled.ts";
import type { Shell } from "../shell.ts";

/** What the user asks for, and what there is around it. */
export interface Built {
  /** What the user named, or all. */
  readonly found: readonly KubeObject[];
  /** By `namespace/name`. */
  readonly applications: ReadonlyMap<string, KubeObject>;
  readonly components: readonly KubeObject[];
  readonly snapshots: readonly KubeObject[];
}

/** Applications or Components as the user chose them, with all three kinds of their namespaces. */
export async function findBuilt(
  kind: typeof Application | typeof Component,
  name: string | undefined,
  choice: GetCoupledChoice,
  shell: Shell,
): Promise<Built> {
  const found = await findObjects(kind, name, choice, shell);
  const [only] = name === undefined ? [] : found;
  const around = only ? { ...choice, namespace: only.metadata.namespace ?? "", allNamespaces: false } : choice;
  const applications = await findObjects(Application, undefined, around, shell);
  return {
    found,
    applications: new Map(applications.map((each) => [keyOf(each), each])),
    components: await findObjects(Component, undefined, around, shell),
    snapshots: await findObjects(Snapshot, undefined, around, shell),
  };
}

/** The newest of these Snapshots that is not of a pull request, whose tests say nothing about what is on the branch. */
export function newestSnapshot(
  snapshots: readonly KubeObject[],
  isAsked: (snapshot: ReturnType<typeof readSnapshot>) => boolean,
): SnapshotView | undefined {
  const asked = snapshots.map(readSnapshot).filter((snapshot) => snapshot.isPush && isAsked(snapshot));
  const [newest] = asked.toSorted((one, other) => (createdAt(one.object) < createdAt(other.object) ? 1 : -1));
  return newest && readSnapshotState(newest.object);
}

function createdAt({ metadata }: KubeObject): string {
  // Of two that were created in one second, the name has the finer time.
  return `${metadata.creationTimestamp ?? ""} ${metadata.name}`;
}

/** What is wrong with a Snapshot, if something is. */
export function snapshotProblem(snapshot: SnapshotView | undefined): string | undefined {
  return snapshot?.state === "Invalid" || snapshot?.state === "Failed" ? snapshot.next : undefined;
}
