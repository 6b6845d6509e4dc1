import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { footprint, temporaryHome } from "#harness";
import { startCluster } from "./start.ts";
import { listClusters } from "./status.ts";
import { resetCluster, stopCluster } from "./stop.ts";

const never = new AbortController().signal;

test("a port that a foreign process holds is named together with that process", async () => {
  await using home = await temporaryHome();
  const foreign = createServer().listen(0, "127.0.0.1");
  await once(foreign, "listening");
  const address = foreign.address();
  const port = typeof address === "object" && address ? address.port : 0;
  await expect(startCluster({ home, name: "a", port }, never)).rejects.toMatchObject({
    name: "CommandFailed",
    what: expect.stringMatching(`^port ${port} is in use by pid ${process.pid} \\(.+\\)$`),
    next: expect.stringContaining("--port 0"),
  });
  foreign.close();
});

test("an instance whose port another program has taken moves by the option that the message names", async () => {
  await using home = await temporaryHome();
  const { server: before } = await startCluster({ home, name: "a" }, never);
  await stopCluster({ home, name: "a" }, never);
  const port = Number(new URL(before).port);
  const foreign = createServer().listen(port, "127.0.0.1");
  await once(foreign, "listening");
  await expect(startCluster({ home, name: "a" }, never)).rejects.toMatchObject({
    what: expect.stringContaining(`port ${port} is in use by pid ${process.pid}`),
    next: expect.stringMatching(/pick a free port with `\S*tenon cluster start --name a --port 0`/),
  });
  const { server: after } = await startCluster({ home, name: "a", port: 0 }, never);
  expect(after).not.toBe(before);
  foreign.close();
  await stopCluster({ home, name: "a" }, never);
});

test("a port for the registry is refused where there is no real node, which has the registry", async () => {
  await using home = await temporaryHome();
  await expect(startCluster({ home, name: "a", registryPort: 0 }, never)).rejects.toMatchObject({
    name: "InputError",
    what: "instance a has no registry, because it has no real node",
    next: "add --node, or leave out --registry-port",
  });
  expect(await readdir(home.data)).toEqual([]);
});

test("CDI is refused without a real node", async () => {
  await using home = await temporaryHome();
  const starting = startCluster({ home, name: "a", cdi: true }, never);
  await expect(starting).rejects.toMatchObject({ name: "InputError", next: "add --node" });
  expect(await readdir(home.data)).toEqual([]);
});

test("an instance started with endsWithUs stops when its parent is killed", async () => {
  await using home = await temporaryHome();
  const holder = spawn(process.execPath, [
    "--input-type=module-typescript",
    "--eval",
    `import { startCluster } from ${JSON.stringify(`${import.meta.dirname}/start.ts`)};
     const options = { home: ${JSON.stringify(home)}, name: "tied", endsWithUs: true };
     await startCluster(options, new AbortController().signal);
     process.stdout.write("started");
     setInterval(() => {}, 1000);`,
  ]);
  await once(holder.stdout, "data");
  const dataDir = join(home.data, "tied");
  expect((await footprint("tied", dataDir)).processes.length).toBe(4);
  holder.kill("SIGKILL");
  await expect.poll(() => footprint("tied", dataDir)).toEqual({ processes: [], listening: [] });
  expect(await listClusters(home)).toMatchObject([{ name: "tied", state: "stopped" }]);
});

test("an aborted start leaves no process", async () => {
  await using home = await temporaryHome();
  const controller = new AbortController();
  const enough = new Error("enough");
  const onProgress = () => controller.abort(enough);
  await expect(startCluster({ home, name: "a", onProgress }, controller.signal)).rejects.toBe(enough);
  expect(await footprint("a", join(home.data, "a"))).toEqual({ processes: [], listening: [] });
});

test("starting a running instance returns it; changing its settings requires a stop first", async () => {
  await using home = await temporaryHome();
  const first = await startCluster({ home, name: "a", fakeNodes: 1 }, never);
  const again = await startCluster({ home, name: "a" }, never);
  expect(again).toMatchObject({ isNew: false, pid: first.pid, fakeNodes: 1 });
  await expect(startCluster({ home, name: "a", fakeNodes: 2 }, never)).rejects.toMatchObject({
    what: "instance a is running, with 1 fake nodes",
    next: expect.stringContaining("tenon cluster stop --name a"),
  });

  await stopCluster({ home, name: "a" }, never);
  expect(await stopCluster({ home, name: "a" }, never)).toBe("was not running");
  const after = await startCluster({ home, name: "a" }, never);
  expect(after, "port and nodes are remembered").toMatchObject({ isNew: true, server: first.server, fakeNodes: 1 });

  await resetCluster({ home, name: "a" }, never);
  expect(await listClusters(home)).toEqual([]);
  expect(await readdir(home.data)).toEqual([]);
});

test("an instance starts although a dead supervisor left its lock and run file", async () => {
  await using home = await temporaryHome();
  const dataDir = join(home.data, "a");
  await mkdir(dataDir);
  await writeFile(join(dataDir, "lock"), "");
  await startCluster({ home, name: "a" }, never);
  await stopCluster({ home, name: "a" }, never);
  await writeFile(
    join(dataDir, "run.json"),
    JSON.stringify({ pid: process.pid, startTicks: "1", startedAt: "", ready: true }),
  );
  expect(await startCluster({ home, name: "a" }, never)).toMatchObject({ isNew: true, state: "running" });
});

test.each([
  { reason: "of a format to come", change: { format: 2 }, what: "has format 2, and this Tenon reads format 1" },
  { reason: "of a newer Kubernetes", change: { kubernetes: "v1.99.0" }, what: "going down is not supported" },
  { reason: "of a much older one", change: { kubernetes: "v1.30.0" }, what: "more than one minor version up" },
  { reason: "of another instance", change: { name: "b" }, what: 'belongs to instance "b", not "a"' },
])("a data directory $reason is refused and not changed", async ({ change, what }) => {
  await using home = await temporaryHome();
  const dataDir = join(home.data, "a");
  await mkdir(dataDir);
  const instance = { format: 1, name: "a", kubernetes: "v1.37.1", port: 0, fakeNodes: 0, ...change };
  await writeFile(join(dataDir, "instance.json"), JSON.stringify(instance));
  await expect(startCluster({ home, name: "a" }, never)).rejects.toMatchObject({
    name: "CommandFailed",
    what: expect.stringContaining(what),
    next: expect.stringMatching(/tenon cluster reset --name a|--name b/),
  });
  expect(JSON.parse(await readFile(join(dataDir, "instance.json"), "utf8"))).toEqual(instance);
});

test("reset deletes nothing that Tenon did not make", async () => {
  await using home = await temporaryHome();
  await mkdir(join(home.data, "photos"));
  await writeFile(join(home.data, "photos", "cat.jpg"), "");
  await expect(startCluster({ home, name: "photos" }, never)).rejects.toThrow("it holds cat.jpg but no instance.json");
  await expect(resetCluster({ home, name: "photos" }, never)).rejects.toThrow("is not a data directory of Tenon");
  expect(await readdir(join(home.data, "photos"))).toContain("cat.jpg");
});
