import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { z } from "zod";
import { selfSigned } from "#faults";
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

const Introduction = z.object({ host: z.string(), token: z.string() });

/** Gitea on a free port of loopback, with TLS, an administrator and nothing else. Disposing ends it and deletes its data. */
export async function startGitea(): Promise<GiteaAccess & AsyncDisposable> {
  const [program, sources] = await Promise.all([ensureGitea(new AbortController().signal), giteaSources()]);
  const { key, cert } = await selfSigned("gitea");
  const directory = await mkdtemp(join(tmpdir(), "tenon-gitea-"));
  const [keyFile, certFile, configFile] = ["key.pem", "cert.pem", "app.ini"].map((name) => join(directory, name));
  await writeFile(keyFile ?? "", key, { mode: 0o600 });
  await writeFile(certFile ?? "", cert);
  const server = { PROTOCOL: "https", CERT_FILE: certFile, KEY_FILE: keyFile, STATIC_ROOT_PATH: sources };
  await writeFile(configFile ?? "", writeConfig(directory, server), { mode: 0o600 });
  const child = spawn(program, ["serve", configFile ?? ""], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { PATH: process.env["PATH"], HOME: directory, TMPDIR: tmpdir() },
  });
  const closed = once(child, "close");
  const ended = closed.then(() => Promise.reject(new Error(`Gitea ended; its log is in ${directory}/log`)));
  // Gitea's own lines come before and after, and are read so that it can go on.
  const introduced = new Promise<string>((resolve) => {
    createInterface(child.stdout).on("line", (line) => line.startsWith("{") && resolve(line));
  });
  const { host, token } = Introduction.parse(JSON.parse(await Promise.race([introduced, ended])));
  ended.catch(() => undefined);
  return {
    url: `https://${host}`,
    token,
    certificateAuthority: cert,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await closed;
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** https://docs.gitea.com/1.26/administration/config-cheat-sheet */
function writeConfig(directory: string, server: Readonly<Record<string, string | undefined>>): string {
  const sections: Readonly<Record<string, Readonly<Record<string, string | number | boolean | undefined>>>> = {
    "": { RUN_MODE: "prod", WORK_PATH: directory, I_AM_BEING_UNSAFE_RUNNING_AS_ROOT: true },
    // The program replaces the port by a free one.
    server: {
      ...server,
      HTTP_ADDR: "127.0.0.1",
      ROOT_URL: "https://127.0.0.1:3000/",
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
    webhook: { ALLOWED_HOST_LIST: "loopback", SKIP_TLS_VERIFY: true },
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
