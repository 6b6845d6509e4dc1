import { spawn } from "node:child_process";
import { once } from "node:events";
import { InputError } from "#base";
import { credentialEnvironment, type GitRemote, sshLimits } from "./git-credentials.ts";
import { GitError } from "./git-error.ts";

export interface GitOptions {
  /** Where git runs. */
  readonly directory: string;
  /** Written to git's standard input. */
  readonly input?: string | Uint8Array;
  /** Variables of git itself, such as `GIT_INDEX_FILE`. */
  readonly variables?: Readonly<Record<string, string>>;
  /** The repository that git talks to. */
  readonly remote?: GitRemote;
  /** The environment to filter and pass on; the process's own by default. */
  readonly env?: NodeJS.ProcessEnv;
}

const largestOutput = 2 ** 30;
const keptStderrChars = 2_000;

/**
 * Variables that git, ssh and curl need to reach a server. Others are dropped: `GIT_DIR` of a hook that called us,
 * `GIT_SSH_COMMAND` or `GIT_CONFIG_COUNT` would change what our commands do.
 */
const passedOn =
  /^(PATH|HOME|USER|LOGNAME|TMPDIR|SSH_AUTH_SOCK|GIT_ASKPASS|SSH_ASKPASS|SSL_CERT_(FILE|DIR)|GIT_SSL_CAINFO|(https?|all|no)_proxy|SYSTEMROOT)$/i;

const settings: Readonly<Record<string, string>> = {
  // A repository's own configuration must not start programs.
  "core.hooksPath": "/dev/null",
  "core.fsmonitor": "false",
  "core.pager": "cat",
  "gc.auto": "0",
  "maintenance.auto": "false",
  "fetch.recurseSubmodules": "false",
  "credential.helper": "",
  // Ends a wait for a silent server. One that works on a push says so every few seconds.
  "http.lowSpeedLimit": "1",
  "http.lowSpeedTime": "120",
  // Objects of a remote are checked before they are kept. Old repositories have these two, and they do no harm.
  "fetch.fsckObjects": "true",
  "fetch.fsck.zeroPaddedFilemode": "warn",
  "fetch.fsck.missingSpaceBeforeDate": "warn",
};

/**
 * Runs git and returns its standard output: no shell, no configuration of user or machine, no hooks, no prompt.
 * Untrusted values in `args` must come after `--end-of-options`.
 */
export async function runGit(args: readonly string[], options: GitOptions, signal: AbortSignal): Promise<Buffer> {
  signal.throwIfAborted();
  const flags = Object.entries(settings).flatMap(([key, value]) => ["-c", `${key}=${value}`]);
  const { repository, credentials, certificateAuthorityFile } = options.remote ?? {};
  const access = repository && credentials && credentialEnvironment(repository, credentials);
  const child = spawn("git", ["--no-pager", ...flags, ...args], {
    cwd: options.directory,
    env: {
      ...environment(options.env ?? process.env),
      ...options.variables,
      ...(access && access.variables),
      ...(certificateAuthorityFile === undefined ? {} : onlyTrust(certificateAuthorityFile)),
    },
    shell: false,
    windowsHide: true,
    stdio: ["pipe", "pipe", "pipe"],
    signal,
    killSignal: "SIGKILL",
  });
  const chunks: Buffer[] = [];
  let size = 0;
  let stderr = "";
  child.stdout.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size > largestOutput) child.kill("SIGKILL");
    else chunks.push(chunk);
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr = (stderr + text).slice(-keptStderrChars);
  });
  // git may end before it has read everything; its exit code says why.
  child.stdin.on("error", () => undefined);
  child.stdin.end(options.input ?? "");
  const [exitCode] = await once(child, "close").catch((cause: unknown) => {
    signal.throwIfAborted();
    throw cannotStart(cause, options.directory);
  });
  signal.throwIfAborted();
  const command = args.find((arg) => !arg.startsWith("-")) ?? "";
  if (size > largestOutput) throw new GitError(command, undefined, `it printed more than ${largestOutput} bytes`);
  const stdout = Buffer.concat(chunks);
  if (exitCode !== 0) {
    throw new GitError(command, typeof exitCode === "number" ? exitCode : undefined, stderr, stdout.toString());
  }
  return stdout;
}

function environment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return {
    ...Object.fromEntries(Object.entries(env).filter(([name]) => passedOn.test(name))),
    // Error messages are shown, and some are matched in English.
    LC_ALL: "C",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_ATTR_NOSYSTEM: "1",
    GIT_TERMINAL_PROMPT: "0",
    GIT_SSH_COMMAND: `ssh -o BatchMode=yes ${sshLimits.map((limit) => `-o ${limit}`).join(" ")}`,
    GIT_ALLOW_PROTOCOL: "https:http:ssh:git:file",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_LITERAL_PATHSPECS: "1",
  };
}

/** curl trusts the directory of the system's authorities too, unless it is named; Debian's reads all 300 files of it each time. */
function onlyTrust(file: string): Readonly<Record<string, string>> {
  return { GIT_SSL_CAINFO: file, GIT_SSL_CAPATH: "/dev/null" };
}

function cannotStart(cause: unknown, directory: string): unknown {
  if (!(cause instanceof Error && "code" in cause && cause.code === "ENOENT")) return cause;
  return new InputError(`cannot run git in ${directory}`, {
    next: 'check that the directory exists and that git is installed; "tenon doctor" says how to install it',
    cause,
  });
}
