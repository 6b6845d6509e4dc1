import type { Argument, Option } from "commander";
import { CompletedArgument, CompletedOption, type TypedOptions } from "./shared-options.ts";
import type { LazyCommand } from "./lazy-command.ts";

export interface Candidate {
  /** `:files` asks the shell to complete a path. */
  readonly word: string;
  readonly meaning?: string;
}

/** The completions of the last word, which may be empty. */
export async function completeWords(root: LazyCommand, words: readonly string[]): Promise<Candidate[]> {
  const cursor = await findCursor(root, words.slice(0, -1));
  const last = words.at(-1) ?? "";
  if (cursor.option) return candidatesFor(cursor.option, last === "=" ? "" : last, cursor.typed);
  if (last.startsWith("-") && !cursor.isAfterDashes) return completeOption(cursor.command, last, cursor.typed);
  const argument = argumentAt(cursor);
  return [
    ...startingWith(last, subcommandsOf(cursor.command)),
    ...(argument === undefined ? [] : await candidatesFor(argument, last, cursor.typed)),
  ];
}

interface Cursor {
  command: LazyCommand;
  /** The option whose value comes next. */
  option?: Option | undefined;
  readonly typed: Record<string, string>;
  operands: number;
  isAfterDashes: boolean;
}

async function findCursor(root: LazyCommand, words: readonly string[]): Promise<Cursor> {
  const cursor: Cursor = { command: root, typed: {}, operands: 0, isAfterDashes: false };
  for (const word of words) {
    if (cursor.option) {
      // Bash splits `--name=value` into three words.
      if (word === "=") continue;
      cursor.typed[cursor.option.attributeName()] = word;
      cursor.option = undefined;
    } else if (word === "--") {
      cursor.isAfterDashes = true;
    } else if (word.startsWith("-") && !cursor.isAfterDashes) {
      const [, flag = word, value] = /^(--[^=]+)=(.*)$/.exec(word) ?? [];
      const option = optionsOf(cursor.command).find((each) => takesValue(each, flag));
      if (value === undefined) cursor.option = option;
      else if (option) cursor.typed[option.attributeName()] = value;
    } else {
      const found = cursor.isAfterDashes ? undefined : await cursor.command.find(word);
      if (found) cursor.command = found;
      else cursor.operands++;
    }
  }
  return cursor;
}

async function completeOption(command: LazyCommand, text: string, typed: TypedOptions): Promise<Candidate[]> {
  const [, flag, value] = /^(--[^=]+)=(.*)$/.exec(text) ?? [];
  const assigned = optionsOf(command).find((option) => takesValue(option, flag));
  if (assigned && value !== undefined) {
    const candidates = await candidatesFor(assigned, value, typed);
    return candidates.map(({ word }) => ({ word: word === ":files" ? word : `${flag}=${word}` }));
  }
  const flags = optionsOf(command).flatMap(({ long, short, description }) =>
    [long, short].filter((form) => form !== undefined).map((word) => ({ word, meaning: description })),
  );
  return startingWith(text, flags);
}

/** An error must not interrupt typing: values that cannot be listed are not offered. */
async function candidatesFor(given: Option | Argument, text: string, typed: TypedOptions): Promise<Candidate[]> {
  if (!(given instanceof CompletedOption || given instanceof CompletedArgument)) {
    return startingWith(text, (given.argChoices ?? []).map(toCandidate));
  }
  if (given.values === "files") return [{ word: ":files" }];
  const values = await given.values(typed).catch(() => []);
  return startingWith(text, values.map(toCandidate));
}

function optionsOf(command: LazyCommand): readonly Option[] {
  return command.createHelp().visibleOptions(command);
}

function subcommandsOf(command: LazyCommand): Candidate[] {
  const visible = command.createHelp().visibleCommands(command);
  return visible.map((subcommand) => ({ word: subcommand.name(), meaning: subcommand.description() }));
}

/** The last argument may take all words that follow. */
function argumentAt({ command, operands }: Cursor): Argument | undefined {
  const { registeredArguments: all } = command;
  return all[operands] ?? (all.at(-1)?.variadic ? all.at(-1) : undefined);
}

function takesValue({ long, short, required, optional }: Option, flag: string | undefined): boolean {
  return flag !== undefined && (flag === long || flag === short) && (required || optional);
}

function toCandidate(word: string): Candidate {
  return { word };
}

function startingWith(text: string, candidates: readonly Candidate[]): Candidate[] {
  return candidates.filter(({ word }) => word.startsWith(text));
}
