import { expect, test } from "vitest";
import { testKubeconfig, useTesting } from "#harness";
import { connect, createClient, type KubeObject, loadAccess, type Transport } from "#kube";
import { promotionLabels } from "#promotion";
import { testOutput } from "#tekton";

const world = useTesting();
const passes = { tasks: [{ name: "test", output: testOutput("SUCCESS") }] };

/** A connection that dies at one of its writes: before the server has it, or before its answer arrives. */
class DyingTransport {
  readonly #transport: Transport;
  #writesLeft: number;
  readonly #moment: "before" | "after";
  isDead = false;

  constructor(transport: Transport, write: number, moment: "before" | "after") {
    this.#transport = transport;
    this.#writesLeft = write;
    this.#moment = moment;
  }

  connection(): Transport {
    const { cluster } = this.#transport;
    return {
      cluster,
      send: async (request, signal) => {
        const isLast = request.method !== "GET" && --this.#writesLeft === 0;
        if (isLast && this.#moment === "after") await this.#transport.send(request, signal);
        if (isLast) this.isDead = true;
        if (this.isDead) throw new Error("killed by the test");
        return this.#transport.send(request, signal);
      },
      open: (request, signal) => this.#transport.open(request, signal),
      impersonate: () => this.connection(),
      [Symbol.asyncDispose]: () => this.#transport[Symbol.asyncDispose](),
    };
  }
}

async function runsOf(snapshot: string): Promise<readonly KubeObject[]> {
  const labelSelector = `${promotionLabels.snapshot}=${snapshot}`;
  const { items } = await world.client.list({
    apiVersion: "tekton.dev/v1",
    kind: "PipelineRun",
    namespace: world.namespace,
    labelSelector,
  });
  return items;
}

async function finishRuns(snapshot: string): Promise<void> {
  const open = (await runsOf(snapshot)).filter((run) => run["status"] === undefined);
  for (const { metadata } of open) await world.player.finish(metadata.name, passes);
}

/** The writes of two tests: two runs, results, conditions; and again when the runs have finished, with the finalizers. */
const points = [
  ["before", 2],
  ["before", 3],
  ["before", 5],
  ["before", 7],
  ["after", 1],
  ["after", 2],
  ["after", 3],
  ["after", 6],
] as const;

test("each test runs once, and its result is noted, wherever Tenon is killed", async () => {
  await world.scenario("e2e");
  await world.scenario("scan");
  for (const [moment, write] of points) {
    await using transport = connect(await loadAccess({ kubeconfig: testKubeconfig() }));
    const dying = new DyingTransport(transport, write, moment);
    const name = `killed-${moment}-${write}`;
    await world.restart({ client: createClient(dying.connection()) });
    await world.snapshot(name);
    await expect.poll(async () => dying.isDead || (await runsOf(name)).length === 2).toBe(true);
    if (!dying.isDead) await finishRuns(name);
    await expect.poll(() => dying.isDead).toBe(true);
    await world.restart();
    await expect.poll(async () => (await runsOf(name)).length).toBe(2);
    await finishRuns(name);
    await world.waitForCondition(name, "AppStudioTestSucceeded", "True/Passed");
    expect((await world.entries(name)).map(({ scenario, status }) => `${scenario} ${status}`)).toEqual([
      "e2e TestPassed",
      "scan TestPassed",
    ]);
    expect(await runsOf(name)).toHaveLength(2);
  }
});

/** The writes of a re-run: both conditions, the run, the result with the label; and again when the run has finished. */
const rerunPoints = [
  ["before", 1],
  ["before", 2],
  ["before", 3],
  ["before", 4],
  ["before", 5],
  ["after", 1],
  ["after", 2],
  ["after", 3],
  ["after", 4],
] as const;

test("a failed test that runs again runs once more, and the Snapshot passes, wherever Tenon is killed", async () => {
  await world.application("again");
  await world.scenario("again", { application: "again" });
  for (const [moment, write] of rerunPoints) {
    const name = `rerun-${moment}-${write}`;
    await world.snapshot(name, { application: "again" });
    const first = await world.waitForRun(name, "again");
    await world.player.finish(first, { tasks: [{ name: "test", output: testOutput("FAILURE") }] });
    await world.waitForCondition(name, "AppStudioTestSucceeded", "False/Failed");
    const ref = { apiVersion: "tekton.dev/v1", kind: "PipelineRun", namespace: world.namespace, name: first };
    await world.waitFor(ref, (run) => run?.metadata.finalizers === undefined);

    await using transport = connect(await loadAccess({ kubeconfig: testKubeconfig() }));
    const dying = new DyingTransport(transport, write, moment);
    await world.restart({ client: createClient(dying.connection()) });
    const body = { metadata: { labels: { [promotionLabels.rerun]: "again" } } };
    await world.client.patch(world.ref("Snapshot", name), { type: "merge", body });
    const isRunning = async () => (await world.entries(name)).some(({ status }) => status === "InProgress");
    await expect.poll(async () => dying.isDead || (await isRunning())).toBe(true);
    if (!dying.isDead) await finishRuns(name);
    await expect.poll(() => dying.isDead).toBe(true);
    // The test ends while Tenon is away.
    await finishRuns(name);
    await world.restart();
    await expect.poll(async () => (await runsOf(name)).length).toBe(2);
    await finishRuns(name);
    await world.waitForCondition(name, "AppStudioTestSucceeded", "True/Passed");
    expect(await runsOf(name)).toHaveLength(2);
  }
});

test("from a Snapshot to its started test there are three writes, and none when nothing changes", async () => {
  await world.application("quiet");
  await world.scenario("quiet", { application: "quiet" });
  await world.restart();
  await world.snapshot("settled", { application: "shop" });
  await world.waitForRun("settled", "e2e");
  await world.waitForCondition("settled", "AppStudioIntegrationStatus", "Unknown/InProgress");
  world.calls.length = 0;
  await world.snapshot("counted", { application: "quiet" });
  await world.waitForRun("counted", "quiet");
  await world.waitForCondition("counted", "AppStudioIntegrationStatus", "Unknown/InProgress");
  const writes = world.calls.filter((call) => !call.startsWith("GET"));
  expect(writes).toHaveLength(3);
  world.calls.length = 0;
  await world.restart();
  await world.snapshot("after", { application: "quiet" });
  await world.waitForRun("after", "quiet");
  expect(world.calls.filter((call) => !call.startsWith("GET") && call.includes("counted"))).toEqual([]);
});
