import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { z } from "zod";
import { selfSigned, startTcpProxy } from "#faults";
import { ensureGitea, giteaSources } from "./program.ts";

/** How to reach a Gitea. */
export interface GiteaAccess {
  /** Such as `https://127.0.0.1:3000`. */
  readonly url: string;
  /** Of an administrator, for everything. */
  readonly token: string;
  /** In PEM. */
  readonly certificateAuthority: string;
}

const loopback = "127.0.0.1";
/** The program puts a free port in its place, also in the address that Gitea says it has; no proxy gets this port. */
const replacedPort = 65_535;

const Introduction = z.object({ host: z.string(), token: z.string() });

export interface GiteaOptions {
  /** An address of this machine that others reach it by, too, such as pods of a real node; default: loopback. */
  readonly address?: string;
}

/** A Gitea of the test's own. Disposing ends it and deletes its data. */
export interface StartedGitea extends GiteaAccess, AsyncDisposable {
  /** Kills it and starts it again at the same address with what it had. */
  restart(): Promise<void>;
}

/** Gitea on a free port, with TLS, an administrator and nothing else. */
export async function startGitea({ address = loopback }: GiteaOptions = {}): Promise<StartedGitea> {
  const [program, sources] = await Promise.all([ensureGitea(new AbortController().signal), giteaSources()]);
  const { key, cert } = await selfSigned("gitea", address);
  // Gitea itself listens on loopback. What it says about itself, in webhooks for example, has the address of the proxy.
  const unknown = { host: loopback, port: 0 };
  const front = address === loopback ? undefined : await startTcpProxy({ host: address, target: unknown });
  const directory = await mkdtemp(join(tmpdir(), "tenon-gitea-"));
  const [keyFile, certFile, configFile] = ["key.pem", "cert.pem", "app.ini"].map((name) => join(directory, name));
  await writeFile(keyFile ?? "", key, { mode: 0o600 });
  await writeFile(certFile ?? "", cert);
  const server = {
    PROTOCOL: "https",
    CERT_FILE: certFile,
    KEY_FILE: keyFile,
    STATIC_ROOT_PATH: sources,
    ROOT_URL: `https://${address}:${front?.port ?? replacedPort}/`,
  };
  await writeFile(configFile ?? "", writeConfig(directory, server), { mode: 0o600 });
  const serve = (port: string) => startServing(program, { configFile: configFile ?? "", directory, port });
  let serving = await serve("0");
  const { host, token } = serving;
  const [, port = ""] = host.split(":");
  front?.retarget({ host: loopback, port: Number(port) });
  return {
    url: `https://${front ? `${front.host}:${front.port}` : host}`,
    token,
    certificateAuthority: cert,
    async restart() {
      await serving.end();
      serving = await serve(port);
    },
    async [Symbol.asyncDispose]() {
      await front?.[Symbol.asyncDispose]();
      await serving.end();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

interface GiteaFiles {
  readonly configFile: string;
  readonly directory: string;
  /** 0 for a free one. */
  readonly port: string;
}

/** Resolves when Gitea answers. */
async function startServing(program: string, { configFile, directory, port }: GiteaFiles) {
  const child = spawn(program, ["serve", configFile, port], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { PATH: process.env["PATH"], HOME: directory, TMPDIR: tmpdir() },
  });
  const closed = once(child, "close");
  const ended = closed.then(() => Promise.reject(new Error(`Gitea ended; its log is in ${directory}/log`)));
  // Gitea's own lines come before and after, and are read so that it can go on.
  const introduced = new Promise<string>((resolve) => {
    createInterface(child.stdout).on("line", (line) => line.startsWith("{") && resolve(line));
  });
  const introduction = Introduction.parse(JSON.parse(await Promise.race([introduced, ended])));
  ended.catch(() => undefined);
  return {
    ...introduction,
    async end() {
      child.kill("SIGKILL");
      await closed;
    },
  };
}

/** https://docs.gitea.com/1.26/administration/config-cheat-sheet */
function writeConfig(directory: string, server: Readonly<Record<string, string | undefined>>): string {
  const sections: Readonly<Record<string, Readonly<Record<string, string | number | boolean | undefined>>>> = {
    "": { RUN_MODE: "prod", WORK_PATH: directory, I_AM_BEING_UNSAFE_RUNNING_AS_ROOT: true },
    server: {
      ...server,
      HTTP_ADDR: loopback,
      HTTP_PORT: replacedPort,
      DISABLE_SSH: true,
      OFFLINE_MODE: true,
    },
    database: { DB_TYPE: "sqlite3", PATH: join(directory, "gitea.db") },
    security: { INSTALL_LOCK: true, SECRET_KEY: randomText(), INTERNAL_TOKEN: randomText() },
    oauth2: { ENABLED: false },
    repository: { DEFAULT_BRANCH: "main" },
    indexer: { ISSUE_INDEXER_TYPE: "db" },
    queue: { TYPE: "channel" },
    cron: { ENABLED: false },
    actions: { ENABLED: false },
    webhook: { ALLOWED_HOST_LIST: "loopback, private", SKIP_TLS_VERIFY: true },
    log: { MODE: "file", LEVEL: "Warn", ROOT_PATH: join(directory, "log") },
  };
  const rows = Object.entries(sections).map(([name, settings]) => {
    const lines = Object.entries(settings).map(([key, value]) => `${key} = ${value}\n`);
    return `${name === "" ? "" : `[${name}]\n`}${lines.join("")}`;
  });
  return rows.join("");
}

function randomText(): string {
  return randomBytes(32).toString("base64url");
}
