import { isNewerVersion, type Reflector, type StoreChange } from "#kube";

/** Every change that a reflector announced. */
export interface ChangeRecord {
  readonly count: number;
  /** What the changes tell that is wrong: something twice, something missed, something older than one before. */
  readonly faults: readonly string[];
  /** What one has who only heard of the changes, as name and version. */
  replayed(): string[];
  /** Waits until a change of the object in this version or a later one was reported. */
  when(key: string, version: string): Promise<void>;
}

export function recordChanges(reflector: Reflector): ChangeRecord {
  const objects = new Map<string, { readonly uid: string | undefined; readonly version: string }>();
  const lastVersions = new Map<string, string>();
  const faults: string[] = [];
  const waits = new Set<{ readonly key: string; readonly version: string; readonly resolve: () => void }>();
  let count = 0;

  function judge({ type, key, object }: StoreChange): void {
    const { uid, resourceVersion: version = "" } = object.metadata;
    const before = objects.get(key);
    const last = lastVersions.get(key) ?? "0";
    if (type === "added" && before) faults.push(`${key} was added twice`);
    if (type !== "added" && before?.uid !== uid) faults.push(`${key} was ${type}, but uid ${uid} was not there`);
    // A relist finds out that an object is gone, but not in which version: it tells the last one again.
    const isNews = isNewerVersion(version, last) || (type === "deleted" && version === last);
    if (!isNews) faults.push(`${key} was ${type} in version ${version} after ${last}`);
    lastVersions.set(key, version);
    if (type === "deleted") objects.delete(key);
    else objects.set(key, { uid, version });
  }

  reflector.subscribe((change) => {
    count += 1;
    judge(change);
    for (const wait of waits) {
      if (wait.key !== change.key || isNewerVersion(wait.version, lastVersions.get(change.key) ?? "0")) continue;
      waits.delete(wait);
      wait.resolve();
    }
  });

  return {
    get count() {
      return count;
    },
    faults,
    replayed: () => [...objects].map(([key, { version }]) => `${key.split("/").at(-1)}@${version}`).toSorted(),
    when(key, version) {
      if (!isNewerVersion(version, lastVersions.get(key) ?? "0")) return Promise.resolve();
      return new Promise((resolve) => waits.add({ key, version, resolve }));
    },
  };
}
