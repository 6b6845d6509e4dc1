import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chown, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

export interface PostgresServer extends AsyncDisposable {
  readonly port: number;
  /** Of the superuser, on loopback. */
  readonly url: string;
}

const run = promisify(execFile);
const versions = "/usr/lib/postgresql";
const ready = "database system is ready to accept connections";

/** Starts Debian's PostgreSQL with data of its own, as the user `postgres`: it refuses root. Everybody needs their password. */
export async function startPostgres(addresses: readonly string[] = ["127.0.0.1"]): Promise<PostgresServer> {
  const cleanup = new AsyncDisposableStack();
  try {
    const directory = await mkdtemp(join(tmpdir(), "tenon-postgres-"));
    cleanup.defer(() => rm(directory, { recursive: true }));
    const owner = { uid: await idOf("-u"), gid: await idOf("-g") };
    await chown(directory, owner.uid, owner.gid);
    const [version] = (await readdir(versions)).toSorted().toReversed();
    const programs = join(versions, version ?? "", "bin");
    const data = join(directory, "data");
    const passwordFile = join(directory, "password");
    await writeFile(passwordFile, "super\n", { mode: 0o644 });
    const initdb = ["-D", data, "-U", "super", "-A", "scram-sha-256", "--pwfile", passwordFile, "--no-sync"];
    await run(join(programs, "initdb"), initdb, { ...owner, cwd: directory });
    // Whom the node's pods come from is not known here.
    const rules = "host all all 0.0.0.0/0 scram-sha-256\nhost all all ::/0 scram-sha-256\n";
    await writeFile(join(data, "pg_hba.conf"), rules);
    const launch = (port: number): ChildProcess => {
      const settings = [
        `listen_addresses=${addresses.join(",")}`,
        `port=${port}`,
        "unix_socket_directories=",
        "fsync=off",
      ];
      return spawn(join(programs, "postgres"), ["-D", data, ...settings.flatMap((each) => ["-c", each])], {
        ...owner,
        cwd: directory,
        stdio: ["ignore", "ignore", "pipe"],
      });
    };
    let port = await freePort();
    let server = launch(port);
    cleanup.defer(() => stop(server));
    while (!(await isListening(server))) {
      await stop(server);
      port = await freePort();
      server = launch(port);
    }
    return {
      port,
      url: `postgres://super:super@127.0.0.1:${port}/postgres`,
      [Symbol.asyncDispose]: () => cleanup.disposeAsync(),
    };
  } catch (error) {
    await cleanup.disposeAsync();
    throw error;
  }
}

async function idOf(flag: "-u" | "-g"): Promise<number> {
  return Number((await run("id", [flag, "postgres"])).stdout);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address ? address.port : 0;
}

/** Resolves once it is ready; fails if another process has taken the port meanwhile, at one of its addresses at least. */
async function isListening({ stderr }: ChildProcess): Promise<boolean> {
  if (!stderr) throw new Error("PostgreSQL has no output");
  const said: string[] = [];
  for await (const line of createInterface({ input: stderr })) {
    said.push(line);
    const isTaken = line.includes("Address already in use");
    if (!isTaken && !line.includes(ready)) continue;
    stderr.resume();
    return !isTaken;
  }
  throw new Error(`PostgreSQL does not start:\n${said.join("\n")}`);
}

/** SIGINT: stops without waiting for open connections. */
async function stop(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const exit = once(server, "exit");
  server.kill("SIGINT");
  await exit;
}
