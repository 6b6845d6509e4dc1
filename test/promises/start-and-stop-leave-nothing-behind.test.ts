import { mkdtempDisposable, readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { startCluster, stopCluster } from "#cluster";
import { footprint, temporaryHome } from "#harness";

/** What is left behind by each round shows in the second; more rounds are for what happens now and then. */
const rounds = process.env["TENON_SOAK"] ? 20 : 5;

test(`start and stop, ${rounds} times: no port, process or file is left behind`, async () => {
  const never = new AbortController().signal;
  // Of its own, because tests that run at the same time put files into the usual one.
  await using temporary = await mkdtempDisposable(join(tmpdir(), "tenon-start-stop-"));
  vi.stubEnv("TMPDIR", temporary.path);
  onTestFinished(() => void vi.unstubAllEnvs());
  await using home = await temporaryHome();
  const before = await findElsewhere();
  let filesAfterFirst: string[] | undefined;

  for (let round = 1; round <= rounds; round++) {
    const cluster = await startCluster({ home, name: "again", fakeNodes: 1 }, never);
    expect((await footprint("again", cluster.dataDir)).processes.length, `round ${round}`).toBe(5);
    await stopCluster({ home, name: "again" }, never);

    expect(await footprint("again", cluster.dataDir), `round ${round}`).toEqual({ processes: [], listening: [] });
    const files = await filesOf(cluster.dataDir);
    filesAfterFirst ??= files;
    expect(files, `round ${round}`).toEqual(filesAfterFirst);
  }
  expect(await findElsewhere()).toEqual(before);
});

/** What looks like ours in the directories where the components of Kubernetes put files when they are not told better. */
async function findElsewhere(): Promise<string[]> {
  const files = await Promise.all(
    [tmpdir(), "/var/run", "/var/lib", "/dev/shm"].map((directory) => readdir(directory)),
  );
  return files.flat().filter((file) => /tenon|kube|etcd|kwok|apiserver|plugin/.test(file));
}

/** All files but etcd's logs and snapshots, which are data and are numbered as they come and go. */
async function filesOf(directory: string): Promise<string[]> {
  const files = await readdir(directory, { recursive: true });
  return files.filter((file) => !/^etcd\/member\/(wal|snap)\/.*\.(wal|snap|tmp)$/.test(file)).toSorted();
}
