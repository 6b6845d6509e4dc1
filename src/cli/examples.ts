import type { Command } from "commander";
import { alignPairs } from "./terminal/align-pairs.ts";

/** Adds the Examples section to the help of a command: lines that can be typed, and what each is for. */
export function examples(command: Command, lines: readonly (readonly [line: string, meaning: string])[]): void {
  command.addHelpText("after", `\nExamples:\n${alignPairs(lines)}`);
}
