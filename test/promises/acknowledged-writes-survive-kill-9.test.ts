import { expect, test } from "vitest";
import { z } from "zod";
import { startCluster } from "#cluster";
import { type TestApi, connectTestApi, footprint, temporaryHome } from "#harness";

const writes = 1_000;
const writers = 20;
/** The control plane is killed when this many writes are acknowledged; the writers are in the middle of the next ones. */
const kills = [137, 500, 863];

const NameList = z.object({ items: z.array(z.object({ metadata: z.object({ name: z.string() }) })) });

test("kill -9 of the control plane during 1,000 writes loses no acknowledged write and leaves no process", async () => {
  const never = new AbortController().signal;
  await using home = await temporaryHome();
  const acknowledged = new Set<string>();
  const pending = Array.from({ length: writes }, (_, index) => `write-${index}`);

  for (const killAt of [...kills, writes + 1]) {
    const cluster = await startCluster({ home, name: "survivor" }, never);
    await using api = connectTestApi(cluster.kubeconfig);
    expect(await namesIn(api), "after a restart").toEqual(expect.arrayContaining([...acknowledged]));

    await Promise.all(
      Array.from({ length: writers }, async () => {
        for (let name = pending.pop(); name; name = pending.pop()) {
          const status = await api.call("POST", path, { metadata: { name } }).then(
            (answer) => answer.status,
            () => undefined,
          );
          // 409: the write before the kill went through, but its acknowledgement was lost.
          if (status === 201 || status === 409) acknowledged.add(name);
          else pending.push(name);
          if (acknowledged.size >= killAt && cluster.pid) kill(cluster.pid);
          if (status === undefined) return;
        }
      }),
    );
    if (killAt > writes) continue;
    await expect.poll(() => footprint("survivor", cluster.dataDir)).toEqual({ processes: [], listening: [] });
  }
  expect(acknowledged.size).toBe(writes);
});

const path = "/api/v1/namespaces/default/configmaps";

async function namesIn(api: TestApi): Promise<string[]> {
  const { body } = await api.call("GET", path);
  return NameList.parse(body).items.map((item) => item.metadata.name);
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // Another writer was faster.
  }
}
