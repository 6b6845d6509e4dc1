import { InputError, Secret } from "#base";

/** How Tenon signs in to a remote repository: with a user name and a token over https, or with a key over ssh. */
export type GitCredentials =
  | { readonly kind: "token"; readonly username: string; readonly token: Secret }
  | { readonly kind: "ssh"; readonly keyFile: string; readonly knownHostsFile: string };

/** A remote repository; without credentials, git uses the agent of ssh and `GIT_ASKPASS`. */
export interface GitRemote {
  readonly repository: string;
  readonly credentials?: GitCredentials;
  /** PEM of the only CAs to trust, for a server with its own; default: those that git trusts. */
  readonly certificateAuthorityFile?: string;
}

/** Variables for git, and what must stay alive while git runs so that its messages are redacted. */
export interface CredentialEnvironment {
  readonly variables: Readonly<Record<string, string>>;
  readonly secrets: readonly Secret[];
}

/**
 * The environment by which git gets the credentials. Not its arguments, which every user of the machine can list. The header is
 * bound to the repository's own address, and redirects are not followed, so that no other server gets it.
 */
export function credentialEnvironment(repository: string, credentials: GitCredentials): CredentialEnvironment {
  if (credentials.kind === "ssh") {
    const { keyFile, knownHostsFile } = credentials;
    return { variables: { GIT_SSH_COMMAND: sshCommand(keyFile, knownHostsFile) }, secrets: [] };
  }
  const url = requireSafeAddress(repository);
  const { username, token } = credentials;
  const encoded = new Secret(Buffer.from(`${username}:${token.reveal()}`).toString("base64"));
  return {
    variables: {
      GIT_CONFIG_COUNT: "2",
      GIT_CONFIG_KEY_0: `http.${url.origin}/.extraHeader`,
      GIT_CONFIG_VALUE_0: `Authorization: Basic ${encoded.reveal()}`,
      GIT_CONFIG_KEY_1: "http.followRedirects",
      GIT_CONFIG_VALUE_1: "false",
    },
    secrets: [token, encoded],
  };
}

function requireSafeAddress(repository: string): URL {
  const url = URL.canParse(repository) ? new URL(repository) : undefined;
  if (url?.protocol === "https:") return url;
  if (url?.protocol === "http:" && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname)) return url;
  throw new InputError("a token is sent only to an https address, or over http on this machine", {
    where: repository,
    next: "use the repository's https address, or an ssh key",
  });
}

/** git gives the command to a shell, so that the paths are quoted. */
function sshCommand(keyFile: string, knownHostsFile: string): string {
  const options = ["-F", "/dev/null", "-i", keyFile, ...sshOptions, "-o", `UserKnownHostsFile=${knownHostsFile}`];
  return ["ssh", ...options.map((option) => `'${option.replaceAll("'", `'\\''`)}'`)].join(" ");
}

/** End a wait for a server that is silent for two minutes. */
export const sshLimits: readonly string[] = ["ConnectTimeout=30", "ServerAliveInterval=30", "ServerAliveCountMax=4"];

const sshOptions = ["BatchMode=yes", "IdentitiesOnly=yes", "StrictHostKeyChecking=yes", ...sshLimits].flatMap(
  (option) => ["-o", option],
);
