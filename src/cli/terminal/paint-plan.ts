import type { Shell, ShellOutput } from "../shell.ts";
import { type Colour, paint } from "./paint.ts";
import { safeText } from "./visible-text.ts";

const colours: Readonly<Record<string, Colour>> = { "+": "green", "-": "red", "~": "yellow", "-/+": "red", "!": "red" };

/** The text of a plan, each line in the colour of its sign. */
export function paintPlan(text: string, output: ShellOutput, env: Shell["env"]): string {
  const lines = text.split("\n").map((line) => {
    const safe = safeText(line);
    const colour = colours[/^ +([-+~!]|-\/\+) /.exec(line)?.[1] ?? ""];
    return colour === undefined ? safe : paint(colour, safe, output, env);
  });
  return lines.join("\n");
}
