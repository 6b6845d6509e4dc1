import { readFile } from "node:fs/promises";
import { Session } from "node:inspector/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { configMapTemplate, useCoupling } from "#harness";

const world = useCoupling();
const page = join(import.meta.dirname, "../../../docs/explanation/from-plug-to-coupled.md");

/** The files of this room that run a function while `act` runs. */
async function filesRunBy(act: () => Promise<void>): Promise<string[]> {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  // What was counted before, such as the modules themselves, is not counted again.
  await session.post("Profiler.takePreciseCoverage");
  await act();
  const { result } = await session.post("Profiler.takePreciseCoverage");
  session.disconnect();
  const files = result.flatMap(({ url, functions }) => {
    const [, file = ""] = /\/(src\/coupling\/[\w./-]+\.ts)(?:\?|$)/.exec(url) ?? [];
    const hasRun = functions.some(({ ranges }) => ranges.some(({ count }) => count > 0));
    return hasRun && file !== "" && !/\.(?:test|fixture)\.ts$/.test(file) ? [file] : [];
  });
  return [...new Set(files)].toSorted();
}

test("the walk from a Plug to Coupled lists every file of coupling that runs on the way", async () => {
  const template = configMapTemplate("{% .plug.metadata.name %}", { name: "{% .plugConfig.name %}" });
  const socket = world.socket("walk", {
    interface: { config: { plug: { name: { required: true } } } },
    config: { host: "db" },
    result: { url: "db" },
    resources: [{ template }],
  });
  await world.apply(socket);
  await world.waitFor(world.ref("Socket", "walk"), (found) => found?.metadata.finalizers !== undefined);
  const run = await filesRunBy(async () => {
    await world.apply(world.plug("walk", { socket: { name: "walk", namespace: world.prov }, config: { name: "a" } }));
    await world.waitUntilCoupled("walk");
  });
  const listed = [...(await readFile(page, "utf8")).matchAll(/`(src\/coupling\/[\w./-]+)`/g)];
  const paths = new Set(listed.map(([, path = ""]) => path));
  expect(run.length).toBeGreaterThan(0);
  expect(run.filter((file) => !paths.has(file))).toEqual([]);
});
