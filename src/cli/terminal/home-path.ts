import { shellWord } from "../call-again.ts";
import type { Shell } from "../shell.ts";

/** The path as a shell understands it, with `~` for the home of the user. */
export function homePath(path: string, env: Shell["env"]): string {
  const home = env["HOME"];
  if (home === undefined || home.length < 2 || !path.startsWith(`${home}/`)) return shellWord(path);
  return `~/${shellWord(path.slice(home.length + 1))}`;
}
