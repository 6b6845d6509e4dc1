import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { clusterHome, startCluster, stopCluster } from "#cluster";
import { median } from "./measure.ts";

const runs = 5;

/** From `startCluster` to /readyz and to the moment pods can be made, with the binary in the cache. */
export async function measureClusterStart(): Promise<void> {
  const never = new AbortController().signal;
  const home = { cache: clusterHome().cache, data: await mkdtemp(join(tmpdir(), "tenon-bench-")) };
  const times = { fresh: [] as number[], again: [] as number[], usable: [] as number[], stop: [] as number[] };
  for (let run = 0; run < runs; run++) {
    for (const kind of ["fresh", "again"] as const) {
      const begin = performance.now();
      let readyz = 0;
      const onProgress = (progress: { kind: string; message?: string }) => {
        if (progress.message === "/readyz is ok") readyz = performance.now() - begin;
      };
      await startCluster({ home, name: `bench-${run}`, fakeNodes: 2, onProgress }, never);
      times[kind].push(readyz);
      if (kind === "fresh") times.usable.push(performance.now() - begin);
      const stopping = performance.now();
      await stopCluster({ home, name: `bench-${run}` }, never);
      times.stop.push(performance.now() - stopping);
    }
  }
  await rm(home.data, { recursive: true });
  console.log(`start to /readyz, new instance:  ${seconds(times.fresh)} (median of ${runs}; bar: 4 s)`);
  console.log(`start to /readyz, used instance: ${seconds(times.again)}`);
  console.log(`start to usable, 2 fake nodes:   ${seconds(times.usable)}`);
  console.log(`stop:                            ${seconds(times.stop)}`);
}

function seconds(values: readonly number[]): string {
  return `${(median(values) / 1000).toFixed(2)} s`;
}
