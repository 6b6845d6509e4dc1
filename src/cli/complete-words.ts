import type { Option } from "commander";
import { CompletedOption } from "./completed-option.ts";
import type { LazyCommand } from "./lazy-command.ts";

export interface Candidate {
  /** `:files` asks the shell to complete a path. */
  readonly word: string;
  readonly meaning?: string;
}

/** What the last of these words, which may be empty, can become. */
export async function completeWords(root: LazyCommand, words: readonly string[]): Promise<Candidate[]> {
  const place = await findPlace(root, words.slice(0, -1));
  const last = words.at(-1) ?? "";
  if (place.option) return candidatesFor(place.option, last === "=" ? "" : last);
  if (last.startsWith("-") && !place.isAfterDashes) return completeOption(place.command, last);
  return startingWith(last, [...subcommandsOf(place.command), ...argumentsOf(place)]);
}

interface Place {
  command: LazyCommand;
  /** The one whose value comes next. */
  option?: Option | undefined;
  operands: number;
  isAfterDashes: boolean;
}

async function findPlace(root: LazyCommand, words: readonly string[]): Promise<Place> {
  const place: Place = { command: root, operands: 0, isAfterDashes: false };
  for (const word of words) {
    if (place.option) {
      // Bash makes three words of `--name=value`.
      if (word !== "=") place.option = undefined;
    } else if (word === "--") {
      place.isAfterDashes = true;
    } else if (word.startsWith("-") && !place.isAfterDashes) {
      place.option = optionsOf(place.command).find((option) => takesValue(option, word));
    } else {
      const found = place.isAfterDashes ? undefined : await place.command.find(word);
      if (found) place.command = found;
      else place.operands++;
    }
  }
  return place;
}

async function completeOption(command: LazyCommand, text: string): Promise<Candidate[]> {
  const [, flag, value] = /^(--[^=]+)=(.*)$/.exec(text) ?? [];
  const assigned = optionsOf(command).find((option) => takesValue(option, flag));
  if (assigned && value !== undefined) {
    const candidates = await candidatesFor(assigned, value);
    return candidates.map(({ word }) => ({ word: word === ":files" ? word : `${flag}=${word}` }));
  }
  const flags = optionsOf(command).flatMap(({ long, short, description }) =>
    [long, short].filter((form) => form !== undefined).map((word) => ({ word, meaning: description })),
  );
  return startingWith(text, flags);
}

/** While the user types a command there is no good moment for an error: what cannot be found out is not offered. */
async function candidatesFor(option: Option, text: string): Promise<Candidate[]> {
  if (!(option instanceof CompletedOption)) return startingWith(text, (option.argChoices ?? []).map(toCandidate));
  if (option.values === "files") return [{ word: ":files" }];
  const values = await option.values().catch(() => []);
  return startingWith(text, values.map(toCandidate));
}

function optionsOf(command: LazyCommand): readonly Option[] {
  return command.createHelp().visibleOptions(command);
}

function subcommandsOf(command: LazyCommand): Candidate[] {
  const visible = command.createHelp().visibleCommands(command);
  return visible.map((subcommand) => ({ word: subcommand.name(), meaning: subcommand.description() }));
}

function argumentsOf({ command, operands }: Place): Candidate[] {
  return (command.registeredArguments[operands]?.argChoices ?? []).map(toCandidate);
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
