import { type Command, Help, type Option } from "commander";

/** Wider terms get a line of their own on a narrow terminal, so that their descriptions do not stand in a thin column. */
const widestTerm = 26;
const roomForDescription = 58;
const indent = "  ";

/** The help of a command, in lines that fit a terminal of 80 columns. */
export class NarrowHelp extends Help {
  override minWidthToWrap = 20;

  /** Without `[options]`, which all of them have, and without other spellings of the name. */
  override subcommandTerm(command: Command): string {
    return super.subcommandTerm(command).replace(/\|\S+/, "").replace(" [options]", "");
  }

  override commandUsage(command: Command): string {
    return super.commandUsage(command).replace(/\|\S+/, "");
  }

  /** Without defaults that only say that an option is not given. */
  override optionDescription(option: Option): string {
    return super.optionDescription(saysNothing(option.defaultValue) ? withoutDefault(option) : option);
  }

  override padWidth(command: Command, helper: Help): number {
    const widest = Math.max(widestTerm, (this.helpWidth ?? 80) - roomForDescription - 2 * indent.length);
    return Math.min(super.padWidth(command, helper), widest);
  }

  override formatItem(term: string, termWidth: number, description: string, helper: Help): string {
    if (helper.displayWidth(term) <= termWidth) return super.formatItem(term, termWidth, description, helper);
    return `${indent}${term}\n${super.formatItem("", termWidth, description, helper)}`;
  }
}

/** Whether a default only says that the option is not given. */
export function saysNothing(value: unknown): boolean {
  return value === undefined || value === false || (Array.isArray(value) && value.length === 0);
}

function withoutDefault(option: Option): Option {
  const copy: Option = Object.create(option);
  copy.defaultValue = undefined;
  return copy;
}
