import { InputError } from "#base";

/** A tree of files in a repository, at one commit. */
export interface GitLocation {
  /** A URL, an ssh address such as `git@host:path`, or a local directory. */
  readonly repository: string;
  /** Branch, tag or commit. */
  readonly ref: string;
  /** A directory in the repository, without slashes at its ends; empty for all of it. */
  readonly directory: string;
}

const url = /^(git\+)?(https?|ssh|git|file):\/\//;
/** `git@host:path`, and not `C:\path`. */
const sshAddress = /^[\w.-]+@[\w.-]+:[^\\]/;

/** Whether the text before any `#` is the address of a remote repository. */
export function isRemoteRepository(text: string): boolean {
  return url.test(text) || sshAddress.test(text);
}

/**
 * Parses `REPOSITORY#REF:DIRECTORY`, of which only the first part is required: `https://host/team/data.git#main:data`,
 * `../data#v1.2`. `docker build` takes the same form.
 */
export function parseGitLocation(text: string): GitLocation {
  const hash = text.indexOf("#");
  const repository = (hash === -1 ? text : text.slice(0, hash)).replace(/^git\+/, "");
  const fragment = hash === -1 ? "" : text.slice(hash + 1);
  const colon = fragment.indexOf(":");
  const ref = (colon === -1 ? fragment : fragment.slice(0, colon)) || "HEAD";
  const directory = colon === -1 ? "" : fragment.slice(colon + 1).replaceAll(/^\/+|\/+$/g, "");
  requireNoPassword(repository);
  requireRef(ref, text);
  if (directory.split("/").some((step) => step === "..")) {
    throw new InputError(`the directory ${directory} is outside the repository`, { where: hidePassword(text) });
  }
  return { repository, ref, directory };
}

/** Names that git does not allow, and options: https://git-scm.com/docs/git-check-ref-format */
// oxlint-disable-next-line no-control-regex
const forbiddenInRef = /^-|^$|\.\.|@\{|[\u0000-\u0020\u007f~^:?*[\\]|\/\/|\.lock$|\/$|^\//;

/** Only git itself finds these: a server is asked by name. */
const ancestor = /^\w[\w./-]*[~^][\d~^]*$/;

function requireRef(ref: string, where: string): void {
  if (!forbiddenInRef.test(ref)) return;
  throw new InputError(`${JSON.stringify(ref)} is not a valid branch, tag or commit`, {
    where,
    next: ancestor.test(ref)
      ? `write the commit itself, which \`git rev-parse ${ref}\` prints`
      : "use REPOSITORY#REF or REPOSITORY#REF:DIRECTORY",
  });
}

function requireNoPassword(repository: string): void {
  if (!/^\w+:\/\/[^/@]*:[^/@]*@/.test(repository)) return;
  throw new InputError(`the address ${hidePassword(repository)} contains a password`, {
    next: "remove it, and set GIT_ASKPASS to a program that prints it, or use ssh",
  });
}

function hidePassword(text: string): string {
  return text.replace(/^(\w+:\/\/[^/@:]*):[^/@]*@/, "$1:***@");
}
