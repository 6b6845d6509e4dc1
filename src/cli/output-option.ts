import { type Command, Option } from "commander";

export const outputFormats = ["table", "json", "yaml", "markdown"] as const;
export type OutputFormat = (typeof outputFormats)[number];

/** Adds `-o`; the first format is the default. */
export function outputOption<Target extends Command>(
  command: Target,
  formats: readonly OutputFormat[] = outputFormats,
): Target {
  return command.addOption(
    new Option("-o, --output <format>", "how to print the result").choices(formats).default(formats[0]),
  );
}
