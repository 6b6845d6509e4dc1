import { spawn } from "node:child_process";
import { once } from "node:events";
import { access, mkdir, open, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { z } from "zod";
import { CommandFailed, packageFile, systemClock } from "#base";
import { type ClusterStatus, identifyProcess, isRunning } from "#cluster";
import type { Shell } from "../shell.ts";
import { preparePages } from "./prepare-pages.ts";

export const defaultConsolePort = 7788;

type ConsoleInstance = Pick<ClusterStatus, "name" | "dataDir">;

/** `console.json` of an instance: the process that serves its console, running or ended. */
const ConsoleFile = z.object({ pid: z.number(), startTicks: z.string(), port: z.number() });

const stepMs = 25;
const endLimitMs = 10_000;

/**
 * Serves the console of an instance in the background, and returns a link that logs in. It shows the data that `config` names, if
 * that file exists. One that runs is replaced, so that it is of the sources of today; it keeps its port.
 */
export async function startConsole(instance: ConsoleInstance, config: string, shell: Shell): Promise<string> {
  const { name, dataDir } = instance;
  const { signal, env } = shell;
  // Built here, where a person sees how far it is.
  await preparePages(shell);
  const port = await freePort((await stopConsole(instance, signal))?.port ?? defaultConsolePort);
  const logFile = join(dataDir, "log", "console.log");
  await mkdir(join(dataDir, "log"), { recursive: true, mode: 0o700 });
  // The link is in it.
  await using output = await open(logFile, "w", 0o600);
  // As bin/tenon says it for what stays.
  const words = ["--max-semi-space-size=4", await programFile(), "console", "--instance", name, "--port", String(port)];
  const hasData = await access(config).then(
    () => true,
    () => false,
  );
  if (hasData) words.push("--config", config);
  // In a session of its own, so that closing the terminal does not end it; and in a folder that has no tenon.yaml.
  const child = spawn(process.execPath, words, {
    cwd: dataDir,
    env,
    detached: true,
    stdio: ["ignore", output.fd, output.fd],
  });
  await once(child, "spawn");
  child.unref();
  try {
    const started = await identifyProcess(child.pid ?? 0);
    if (started) await writeFile(recordOf(instance), JSON.stringify({ ...started, port }), { mode: 0o600 });
    for (;;) {
      const text = await readFile(logFile, "utf8");
      // Complete only with the end of its line.
      const [link] = /http:\/\/\S+\/login#\S+(?=\n)/.exec(text) ?? [];
      if (link !== undefined) return link;
      if (!started || !(await isRunning(started))) {
        throw new CommandFailed(`it ended during its start: ${text.trim()}`, { where: logFile });
      }
      await systemClock.sleep(stepMs, signal);
    }
  } catch (error) {
    child.kill("SIGTERM");
    throw error;
  }
}

/** Ends the console of an instance, if one runs; returns what was known of it. */
export async function stopConsole(
  instance: ConsoleInstance,
  signal: AbortSignal,
): Promise<z.infer<typeof ConsoleFile> | undefined> {
  const text = await readFile(recordOf(instance), "utf8").catch(() => undefined);
  const known = text === undefined ? undefined : readRecord(text);
  if (known && (await isRunning(known))) {
    process.kill(known.pid, "SIGTERM");
    const deadline = systemClock.monotonic() + endLimitMs;
    while (await isRunning(known)) {
      // It keeps nothing that it could lose.
      if (systemClock.monotonic() > deadline) process.kill(known.pid, "SIGKILL");
      await systemClock.sleep(stepMs, signal);
    }
  }
  await rm(recordOf(instance), { force: true });
  return known;
}

function recordOf({ dataDir }: ConsoleInstance): string {
  return join(dataDir, "console.json");
}

/** Undefined for a file that a kill cut off. */
function readRecord(text: string): z.infer<typeof ConsoleFile> | undefined {
  try {
    return ConsoleFile.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** What `bin/tenon` and the published program run. */
async function programFile(): Promise<string> {
  const source = packageFile("src", "cli", "main.ts");
  return await access(source).then(
    () => source,
    () => packageFile("dist", "tenon.js"),
  );
}

/** The port, or 0 for any free one if another program has it. */
async function freePort(port: number): Promise<number> {
  const server = createServer();
  try {
    await once(server.listen(port, "127.0.0.1"), "listening");
    return port;
  } catch {
    return 0;
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
}
