import type { Option } from "commander";

/** Lets an option be given again and again. */
export function repeated<Target extends Option>(option: Target): Target {
  return option
    .argParser((value: string, before: readonly string[] | undefined) => [...(before ?? []), value])
    .default([], "none");
}
