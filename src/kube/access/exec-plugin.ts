import { spawn } from "node:child_process";
import { z } from "zod";
import { type Clock, InputError, Secret } from "#base";
import { readClientCertificate } from "./read-certificates.ts";
import type { Credential } from "./cluster-access.ts";
import { ConnectionError } from "../transport/connection-error.ts";

/** The cluster information that is passed to a plugin with `provideClusterInfo`. */
export interface ExecCluster {
  readonly server: string;
  readonly "tls-server-name"?: string;
  readonly "insecure-skip-tls-verify"?: boolean;
  readonly "certificate-authority-data"?: string;
  readonly "proxy-url"?: string;
  readonly "disable-compression"?: boolean;
  readonly config?: unknown;
}

/** How to run a credential plugin: https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins */
export interface ExecPlugin {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly apiVersion: string;
  readonly installHint: string | undefined;
  /** Passed to the plugin if it sets `provideClusterInfo`. */
  readonly cluster: ExecCluster | undefined;
  /** Whether it may prompt the user on the terminal. */
  readonly isInteractive: boolean;
  /** The kubeconfig and context, for messages. */
  readonly where: string;
}

export interface ExecOutcome {
  readonly credential: Credential;
  /** Milliseconds since the epoch; undefined: valid until the server rejects it. */
  readonly expiresAt: number | undefined;
}

const ExecCredential = z.object({
  apiVersion: z.string(),
  kind: z.literal("ExecCredential"),
  status: z.object({
    token: z.string().optional(),
    clientCertificateData: z.string().optional(),
    clientKeyData: z.string().optional(),
    expirationTimestamp: z.iso.datetime({ offset: true }).optional(),
  }),
});

const timeLimitMs = { alone: 60_000, withUser: 600_000 };
const longestOutput = 2 ** 20;

/** Runs a credential plugin once, without a shell. Its standard error goes to the user; its output is secret. */
export async function runExecPlugin(plugin: ExecPlugin, clock: Clock): Promise<ExecOutcome> {
  const output = await run(plugin, clock);
  const { data, error } = ExecCredential.safeParse(parseJson(output));
  if (error) {
    const fields = error.issues.map(({ path }) => path.join(".") || "the output");
    throw broken(plugin, `did not print an ExecCredential (look at ${fields.join(", ")})`);
  }
  if (data.apiVersion !== plugin.apiVersion) {
    throw broken(plugin, `printed an ExecCredential of another version than ${plugin.apiVersion}`);
  }
  const { token, clientCertificateData: certificate, clientKeyData: key, expirationTimestamp } = data.status;
  if ((certificate === undefined) !== (key === undefined)) throw broken(plugin, "printed a certificate or key alone");
  if (!token && certificate === undefined) throw broken(plugin, "printed neither a token nor a client certificate");
  return {
    credential: {
      ...(token ? { token: new Secret(token) } : {}),
      ...(certificate === undefined || key === undefined
        ? {}
        : { clientCertificate: readClientCertificate({ certificate, key }, plugin.where, clock) }),
    },
    expiresAt: expirationTimestamp === undefined ? undefined : Date.parse(expirationTimestamp),
  };
}

function run(plugin: ExecPlugin, clock: Clock): Promise<string> {
  const { command, args, env, apiVersion, cluster, isInteractive } = plugin;
  const spec = { ...(cluster === undefined ? {} : { cluster }), interactive: isInteractive };
  const info = JSON.stringify({ apiVersion, kind: "ExecCredential", spec });
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      env: { ...env, KUBERNETES_EXEC_INFO: info },
      stdio: [isInteractive ? "inherit" : "ignore", "pipe", "inherit"],
      shell: false,
      windowsHide: true,
    });
    const chunks: Buffer[] = [];
    let size = 0;
    let stoppedFor: string | undefined;

    function stop(reason: string): void {
      stoppedFor ??= reason;
      child.kill("SIGKILL");
      // A grandchild may keep the pipe open.
      child.stdout.destroy();
    }

    const limitMs = isInteractive ? timeLimitMs.withUser : timeLimitMs.alone;
    const timer = clock.after(limitMs, () => stop(`gave no answer within ${limitMs / 1000} s`));
    child.stdout.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > longestOutput) stop(`printed more than ${longestOutput} bytes`);
      else chunks.push(chunk);
    });
    child.once("error", (cause) => {
      timer[Symbol.dispose]();
      reject(cannotStart(plugin, cause));
    });
    child.once("close", (code, killedBy) => {
      timer[Symbol.dispose]();
      if (code === 0 && stoppedFor === undefined) resolve(Buffer.concat(chunks).toString());
      else reject(failed(plugin, stoppedFor ?? `ended with ${code === null ? killedBy : `exit code ${code}`}`));
    });
  });
}

function cannotStart({ command, installHint, where }: ExecPlugin, cause: Error): InputError {
  const isMissing = "code" in cause && cause.code === "ENOENT";
  const what = isMissing ? "is not installed" : "cannot be started";
  return new InputError(`the credential plugin ${command} ${what}`, {
    where,
    next: installHint?.trim() ?? "install it, or put its folder on the PATH",
    cause,
  });
}

/** Not an InputError: a plugin that failed because of the network may succeed later. */
function failed({ command, where }: ExecPlugin, how: string): ConnectionError {
  return new ConnectionError(`${where}: the credential plugin ${command} ${how}`, {
    failure: "credentials",
    wasSent: false,
    next: "see what it printed; you may have to log in again",
  });
}

function broken({ command, where }: ExecPlugin, how: string): InputError {
  return new InputError(`the credential plugin ${command} ${how}`, {
    where,
    next: "update the plugin, or its configuration",
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
