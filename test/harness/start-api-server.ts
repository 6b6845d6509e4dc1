import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, readlink } from "node:fs/promises";
import { createServer } from "node:http";
import { dirname } from "node:path";
import { closeServer, listenOn, systemClock } from "#base";
import { type ClusterAccess, connect, loadAccess } from "#kube";
import { askRun } from "./ask-run.ts";
import { testKubeconfig } from "./test-kubeconfig.ts";

export interface AddedApiServer extends AsyncDisposable {
  /** With the credentials of an administrator. */
  readonly access: ClusterAccess;
}

const limitMs = 5 * 60_000;
const stepMs = 50;

/** Another API server for the objects of a control plane of the tests, started like the first but for these flags. */
export async function startApiServer(flags: readonly string[]): Promise<AddedApiServer> {
  // The cluster that TENON_TEST_KUBECONFIG names may be on another machine.
  const kubeconfig = (await findApiServer(testKubeconfig())) ? testKubeconfig() : await askRun("/clusters/added");
  const found = await findApiServer(kubeconfig);
  if (!found) throw new Error(`no API server of ${kubeconfig} runs on this machine`);
  const port = await freePort();
  const own = [...flags, `--secure-port=${port}`];
  const replaced = new Set(own.map(nameOf));
  const words = [...found.words.filter((word) => !replaced.has(nameOf(word))), ...own];
  const child = spawn(found.program, words, { argv0: "tenon-test/kube-apiserver", cwd: found.folder, stdio: "pipe" });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      said = `${said}${String(chunk)}`.slice(-20_000);
    });
  }
  const ended = once(child, "exit");
  const first = await loadAccess({ kubeconfig });
  const access = { ...first, server: new URL(`https://127.0.0.1:${port}`) };
  await using transport = connect(access);
  const deadline = systemClock.monotonic() + limitMs;
  const never = new AbortController().signal;
  while (!(await isReady(transport))) {
    if (child.exitCode !== null || systemClock.monotonic() > deadline) {
      child.kill("SIGKILL");
      throw new Error(`the added API server did not become ready: ${said}`);
    }
    await systemClock.sleep(stepMs, never);
  }
  return {
    access,
    async [Symbol.asyncDispose]() {
      // It shares its state with the first one, and has nothing to finish.
      child.kill("SIGKILL");
      await ended;
    },
  };
}

function nameOf(flag: string): string {
  return flag.split("=", 1)[0] ?? flag;
}

async function isReady(transport: ReturnType<typeof connect>): Promise<boolean> {
  return await transport.send({ method: "GET", path: "/readyz" }).then(
    () => true,
    () => false,
  );
}

interface RunningProgram {
  readonly program: string;
  readonly folder: string;
  readonly words: readonly string[];
}

/** It runs in the folder of its instance, as a child of the supervisor. */
async function findApiServer(kubeconfig: string): Promise<RunningProgram | undefined> {
  const folder = dirname(dirname(kubeconfig));
  for (const pid of await readdir("/proc")) {
    if (!/^\d+$/.test(pid)) continue;
    const [cwd, command, program] = await Promise.all([
      readlink(`/proc/${pid}/cwd`).catch(() => undefined),
      readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => ""),
      readlink(`/proc/${pid}/exe`).catch(() => undefined),
    ]);
    const [name = "", ...words] = command.split("\0").slice(0, -1);
    if (cwd === folder && program !== undefined && name.endsWith("/kube-apiserver")) return { program, folder, words };
  }
  return undefined;
}

async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listenOn(server, "127.0.0.1", 0);
  await closeServer(server);
  return port;
}
