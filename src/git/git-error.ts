import { InputError, redact } from "#base";
import type { GitRemote } from "./git-credentials.ts";

/** git ran and failed. Not an `InputError`, because a network error may pass: see `explainGitError`. */
export class GitError extends Error {
  readonly exitCode: number | undefined;
  /** The last lines that git wrote to standard error, without known secrets. */
  readonly output: string;
  /** What git wrote to standard output, without known secrets: `git push --porcelain` says there what the server refused. */
  readonly said: string;

  constructor(command: string, exitCode: number | undefined, output: string, stdout = "") {
    const said = redact(output).trim();
    super(`git ${command} ${exitCode === undefined ? "was killed" : `failed with exit code ${exitCode}`}: ${said}`);
    this.exitCode = exitCode;
    this.output = said;
    this.said = redact(stdout).trim();
  }

  override get name(): string {
    return "GitError";
  }
}

/** An `InputError` for a failure that only the user can fix; else the error itself. */
export function explainGitError(error: unknown, { repository: where, credentials }: GitRemote): unknown {
  if (!(error instanceof GitError)) return error;
  const failures = credentials?.kind === "token" ? [...tokenFailures, ...knownFailures] : knownFailures;
  const [, what, next] = failures.find(([pattern]) => pattern.test(error.output)) ?? [];
  if (what === undefined || next === undefined) return error;
  return new InputError(what, { where, next, cause: error });
}

/** An `InputError` if the key, or the program that signs with it, is the reason; else the error itself. */
export function explainSigningError(error: unknown): unknown {
  if (!(error instanceof GitError)) return error;
  const [, why, next] = signingFailures.find(([pattern]) => pattern.test(error.output)) ?? [];
  if (why === undefined || next === undefined) return error;
  return new InputError(`commits cannot be signed: ${why}`, { next, cause: error });
}

type KnownFailure = readonly [pattern: RegExp, what: string, next: string];

const tokenFailures: readonly KnownFailure[] = [
  [
    /could not read (Username|Password)|Authentication failed|terminal prompts disabled/,
    "authentication failed",
    "the token is not valid any more, or its user name is wrong: give Tenon a new one",
  ],
];

const knownFailures: readonly KnownFailure[] = [
  [
    /certificate verification failed|SSL certificate problem|server verification failed/,
    "the server's certificate is signed by an unknown authority",
    "add that certificate authority to what Tenon trusts for this repository",
  ],
  [
    /dubious ownership/,
    "git does not trust this repository, because another user owns it",
    "run Tenon as the user who owns it, or clone it",
  ],
  [
    /could not read (Username|Password)|Authentication failed|terminal prompts disabled/,
    "authentication failed",
    "set GIT_ASKPASS to a program that prints the user name and password, or use an ssh address with a key in the agent",
  ],
  [
    /Permission denied \(|Host key verification failed/,
    "ssh access denied",
    "add the key to the ssh agent, and the server's key to ~/.ssh/known_hosts",
  ],
  [
    /Repository not found|does not appear to be a git repository|repository '.*' (does not exist|not found)|not a git repository/i,
    "repository not found, or access denied",
    "check its address and your access rights",
  ],
  [/transport '.*' not allowed/, "protocol not allowed", "use https, ssh, git or file"],
];

const signingFailures: readonly KnownFailure[] = [
  [/cannot run ssh-keygen/, "ssh-keygen not found", "install openssh-client where Tenon runs"],
  [/incorrect passphrase/, "the key has a passphrase", "give a key without one"],
  [/load (public )?key/i, "the key is not a valid ssh key", "give an OpenSSH private key without a passphrase"],
];
