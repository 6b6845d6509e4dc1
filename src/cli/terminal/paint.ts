import { styleText } from "node:util";
import type { Output, Shell } from "../shell.ts";
import { hasColour } from "./manners.ts";

export type Colour = "red" | "yellow" | "green";

/** Colours the text where colour is welcome. */
export function paint(colour: Colour, text: string, output: Output, env: Shell["env"]): string {
  return hasColour(output, env) ? styleText(colour, text, { validateStream: false }) : text;
}
