import { join } from "node:path";

/**
 * How to type Tenon again: its name if that is on the PATH, else as it was called, so that printed commands can be copied
 * from a checkout too. `bin/tenon` sets TENON_CALLED_AS.
 */
export function callAgain(env: NodeJS.ProcessEnv): string {
  const calledAs = env["TENON_CALLED_AS"] || "tenon";
  const directories = (env["PATH"] ?? "").split(":").filter((directory) => directory !== "");
  return directories.some((directory) => join(directory, "tenon") === calledAs) ? "tenon" : shellWord(calledAs);
}

/** The text as one word of a POSIX shell. */
export function shellWord(text: string): string {
  return /^[\w./:=@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
