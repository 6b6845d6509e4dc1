import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type HttpProxy, seededRandom } from "#faults";
import { seed } from "#seeded";
import { useManagerWorld } from "./manager/manager-world.ts";
import { startProxyTo, writeKubeconfig } from "./manager/proxied-kubeconfig.ts";

const world = useManagerWorld({ clusters: 2 });
const [here, there] = world.namespaces;
const script = join(import.meta.dirname, "manager", "run-once.ts");
const [integrations, rollouts] = process.env["TENON_SOAK"] ? [50, 50] : [20, 4];
const killsEach = 5;

/** Each rollout changes every object, adds some and removes some, and moves a tenth to another namespace and back. */
async function writeState(round: number): Promise<void> {
  const parameters = { IMAGE_TAG: String(round) };
  await world.data.namespace("n1", { realName: here, parameters });
  await world.data.namespace("n2", { realName: here, cluster: "c2", parameters });
  await world.data.namespace("n3", { realName: there, cluster: "c2", parameters });
  for (let index = 0; index < integrations; index += 1) {
    const isMoved = index % 10 === round % 10;
    await world.data.integration(`i${index}`, [{ namespace: "n1" }, { namespace: isMoved ? "n3" : "n2" }]);
  }
  await world.data.integration(`only-${round}`, [{ namespace: "n1" }]);
  if (round > 0) await world.data.remove("integrations", `only-${round - 1}`);
}

interface Ended {
  readonly code: number | null;
  readonly isKilled: boolean;
  readonly log: string;
}

/** Runs the manager, and kills it when so many calls have been made. */
async function rollOut(proxies: readonly HttpProxy[], killAt = Infinity): Promise<Ended> {
  const env = { ...process.env, KUBECONFIG: join(world.data.path, "kubeconfig") };
  const words = [script, world.data.path, join(world.data.path, "state.json"), "c1", "c2"];
  const child = spawn(process.execPath, words, { env, stdio: ["ignore", "ignore", "pipe"] });
  let log = "";
  child.stderr.on("data", (chunk) => (log += String(chunk)));
  const before = callsOf(proxies);
  const ended = once(child, "close");
  const isRunning = (): boolean => child.exitCode === null && child.signalCode === null;
  const killInTime = async (proxy: HttpProxy): Promise<void> => {
    while (isRunning() && callsOf(proxies) - before < killAt) {
      await Promise.race([proxy.when(() => true, proxy.requests.length + 1), ended]);
    }
    child.kill("SIGKILL");
  };
  if (killAt < Infinity) await Promise.all(proxies.map(killInTime));
  await ended;
  return { code: child.exitCode, isKilled: child.signalCode === "SIGKILL", log };
}

/** Integrations that run nowhere on the second cluster, where some of them are moved in each rollout. */
async function homeless(): Promise<string[]> {
  const found = await Promise.all([world.workloads(here, "c2"), world.workloads(there, "c2")]);
  const running = new Set(found.flat());
  return Array.from({ length: integrations }, (_, index) => `Deployment i${index}`).filter(
    (name) => !running.has(name),
  );
}

function callsOf(proxies: readonly HttpProxy[]): number {
  return proxies.reduce((sum, proxy) => sum + proxy.requests.length, 0);
}

test(`killed again and again during a rollout to two clusters, the manager reaches the same end, and every moved integration runs all the time (seed ${seed})`, async () => {
  const random = seededRandom(seed);
  await using first = await startProxyTo(world.kubeconfig("c1"));
  await using second = await startProxyTo(world.kubeconfig("c2"));
  const proxies = [first, second];
  await writeKubeconfig(join(world.data.path, "kubeconfig"), { c1: first.url, c2: second.url });
  await writeState(0);
  expect(await rollOut(proxies)).toMatchObject({ code: 0, log: "" });
  let killed = 0;
  for (let round = 1; round <= rollouts; round += 1) {
    await writeState(round);
    const points: number[] = [];
    for (let kill = 0; kill < killsEach; kill += 1) {
      const point = 1 + Math.floor(random() * 60);
      points.push(point);
      if ((await rollOut(proxies, point)).isKilled) killed += 1;
      expect(await homeless(), `killed at the calls ${points.join(", ")}`).toEqual([]);
    }
    const last = await rollOut(proxies);
    expect(last, `killed at the calls ${points.join(", ")}`).toMatchObject({ code: 0, log: "" });
    const plan = await world.plan();
    expect(plan, `killed at the calls ${points.join(", ")}`).toMatchObject({
      actions: [],
      refusals: [],
      errors: [],
      unchanged: 2 * integrations + 4,
    });
  }
  expect(killed).toBeGreaterThan((rollouts * killsEach) / 2);
  const names = await world.workloads(here);
  expect(names).toHaveLength(integrations + 2);
  expect(names).toContain(`Deployment only-${rollouts}`);
}, 900_000);
