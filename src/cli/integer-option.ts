import { InvalidArgumentError, Option } from "commander";

/** An option whose value is a whole number between two others. */
export function integerOption(flags: string, description: string, least: number, most: number): Option {
  return new Option(flags, `${description} (${least} to ${most})`).argParser((text: string) => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
  });
}
