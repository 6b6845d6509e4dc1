import { styleText } from "node:util";
import type { ShellOutput, Shell } from "../shell.ts";
import { hasColour } from "./interactivity.ts";

export type Colour = "red" | "yellow" | "green";

/** Colours the text, if the output has colour. */
export function paint(colour: Colour, text: string, output: ShellOutput, env: Shell["env"]): string {
  return hasColour(output, env) ? styleText(colour, text, { validateStream: false }) : text;
}
