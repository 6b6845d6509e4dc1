import { InputError } from "#base";

/** A tree of files in a repository, at one commit. */
export interface GitLocation {
  /** A URL, an address as ssh takes it, or a local directory. */
  readonly repository: string;
  /** Branch, tag or commit. */
  readonly ref: string;
  /** A directory in the repository, without slashes at its ends; empty for all of it. */
  readonly directory: string;
}

const url = /^(git\+)?(https?|ssh|git|file):\/\//;
/** `git@host:path`, and not `C:\path`. */
const sshAddress = /^[\w.-]+@[\w.-]+:[^\\]/;

/** Whether the text before any `#` is the address of a repository elsewhere. */
export function isRemoteRepository(text: string): boolean {
  return url.test(text) || sshAddress.test(text);
}

/**
 * Reads `REPOSITORY#REF:DIRECTORY`, of which only the first part is needed: `https://host/team/data.git#main:data`,
 * `../data#v1.2`. The same form that `docker build` takes.
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
    throw new InputError(`the directory ${directory} leaves the repository`, { where: hidePassword(text) });
  }
  return { repository, ref, directory };
}

/** What git itself allows in a name, and no option: https://git-scm.com/docs/git-check-ref-format */
// oxlint-disable-next-line no-control-regex
const forbiddenInRef = /^-|^$|\.\.|@\{|[\u0000-\u0020\u007f~^:?*[\\]|\/\/|\.lock$|\/$|^\//;

function requireRef(ref: string, where: string): void {
  if (!forbiddenInRef.test(ref)) return;
  throw new InputError(`${JSON.stringify(ref)} cannot be the name of a branch, tag or commit`, {
    where,
    next: "write the location as REPOSITORY#REF or REPOSITORY#REF:DIRECTORY",
  });
}

function requireNoPassword(repository: string): void {
  if (!/^\w+:\/\/[^/@]*:[^/@]*@/.test(repository)) return;
  throw new InputError(`the address ${hidePassword(repository)} has a password in it, which others could read`, {
    next: "leave it out, and set GIT_ASKPASS to a program that prints it, or use ssh",
  });
}

function hidePassword(text: string): string {
  return text.replace(/^(\w+:\/\/[^/@:]*):[^/@]*@/, "$1:***@");
}
