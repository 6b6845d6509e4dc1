import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { seededRandom, startTcpProxy } from "#faults";
import { testKubeconfig, useNamespace } from "#harness";
import { seed } from "#seeded";
import { fastClock } from "./watched/fast-clock.ts";
import { expectNothingLost } from "./watched/nothing-lost.ts";
import { runFaults } from "./watched/random-faults.ts";
import { startWatchedWorld, type WatchedWorld } from "./watched/watched-world.ts";

const isSoak = Boolean(process.env["TENON_SOAK"]);
const minutes = isSoak ? 60 : 1;
const roundMs = 8_000;
const names = Array.from({ length: 40 }, (_, index) => `object-${index}`);

const { namespace } = useNamespace();

test(`${minutes} min of random faults (TENON_SEED=${seed})`, { timeout: minutes * 600_000 }, async () => {
  const random = seededRandom(seed);
  const tcp = await startTcpProxy({ target: { host: "127.0.0.1", port: 0 } });
  await using _ = tcp;
  await using world = await startWatchedWorld({
    kubeconfig: testKubeconfig(),
    namespace,
    before: names.slice(0, 20),
    // Pauses and silences pass 20 times faster, so that there are more faults than pauses.
    clock: fastClock(20),
    random: seededRandom(seed + 1),
    async access({ url }) {
      tcp.retarget({ host: url.hostname, port: Number(url.port) });
      const credentials = { current: async () => ({}), renew: async () => false };
      const server = new URL(`http://${tcp.host}:${tcp.port}`);
      return { context: "faulty", source: "a test", server, namespace, credentials };
    },
  });
  await world.reflector.whenSynced();

  const { changes, readings, proxy } = world;
  const end = performance.now() + minutes * 60_000;
  // A busy machine writes less in a minute, and then goes on until there was enough to lose.
  const isEnough = () => performance.now() >= end && changes.count > minutes * 500 && readings.expiries > 0;
  let rounds = 0;
  for (; !isEnough(); rounds++) {
    const round = new AbortController();
    const writing = writeUntil(round.signal, world, seededRandom(seed + 2 + rounds));
    await runFaults({ tcp, proxy: world.proxy, random }, roundMs);
    round.abort();
    await writing;
    await expectNothingLost(world);
  }
  process.stderr.write(
    `seed ${seed}: ${rounds} rounds, ${changes.count} changes, ${proxy.requests.length} requests, ` +
      `${readings.readings} whole states read for ${readings.expiries} expired versions\n`,
  );
  expect(changes.count).toBeGreaterThan(minutes * 500);
  expect(readings.expiries).toBeGreaterThan(0);
});

/** Creates, updates, deletes and makes anew. */
async function writeUntil(signal: AbortSignal, world: WatchedWorld, random: () => number): Promise<void> {
  for (let count = 0; !signal.aborted; count++) {
    const name = names[Math.floor(random() * names.length)] ?? "";
    const choice = random();
    if (choice < 0.4) await world.remove(name);
    if (choice > 0.2) await world.write(name, `${count}`);
    await setTimeout(random() * 40);
  }
}
