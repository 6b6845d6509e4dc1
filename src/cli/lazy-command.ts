import { Command } from "commander";
import { NarrowHelp } from "./narrow-help.ts";

/** A command whose options and subcommands are declared only when it is called, completed or explained. */
export class LazyCommand extends Command {
  #declare: (() => Promise<void>) | undefined;

  constructor(name?: string) {
    super(name);
    this.helpCommand(false);
    this.helpOption("-h, --help", "show this help");
    this.hook("preSubcommand", (_, chosen) => (chosen instanceof LazyCommand ? chosen.load() : undefined));
    this.on("beforeHelp", () => this.#refuseHelpForUnknown());
  }

  override createCommand(name?: string): LazyCommand {
    return new LazyCommand(name);
  }

  override createHelp(): NarrowHelp {
    return Object.assign(new NarrowHelp(), this.configureHelp());
  }

  declareBy(declare: (command: LazyCommand) => Promise<void>): this {
    this.#declare = () => declare(this);
    return this;
  }

  async load(): Promise<void> {
    const declare = this.#declare;
    this.#declare = undefined;
    await declare?.();
  }

  /** The loaded subcommand of that name. */
  async find(name: string): Promise<LazyCommand | undefined> {
    const found = this.commands.find((command) => command.name() === name || command.aliases().includes(name));
    if (!(found instanceof LazyCommand)) return undefined;
    await found.load();
    return found;
  }

  /** As the user types it: `tenon cluster start`. */
  get path(): string {
    return this.parent instanceof LazyCommand ? `${this.parent.path} ${this.name()}` : this.name();
  }

  /** Commander would print its errors and hints, "(Did you mean start?)", itself; here they are reported like all others. */
  override error(message: string): never {
    const [what = "", hint] = message.replace(/^error: /, "").split("\n");
    const suggestion = hint === undefined ? "" : `${hint.replace(/^\((.*)\)$/, "$1").toLowerCase()} if not, `;
    throw new UsageError(what, `${this.#suggestOption(what) ?? suggestion}see "${this.path} --help"`);
  }

  /** A name is often typed where other commands have an argument. */
  #suggestOption(what: string): string | undefined {
    const [, names] = /^too many arguments.*: (.+)\.$/.exec(what) ?? [];
    const takesNone = this.registeredArguments.length === 0;
    if (names === undefined || !takesNone || !this.options.some(({ long }) => long === "--integration"))
      return undefined;
    return `did you mean ${names.replaceAll(/(^|, )/g, " --integration ").trim()}? if not, `;
  }

  /** Commander answers `tenon typo --help` with the help of `tenon`. */
  #refuseHelpForUnknown(): void {
    const [word] = this.args;
    if (this.commands.length === 0 || word === undefined || word.startsWith("-")) return;
    if (this.commands.some((command) => command.name() === word || command.aliases().includes(word))) return;
    this.error(`unknown command '${word}'`);
  }
}

/**
 * The command line cannot be understood. Not an `InputError`, because this file must not import `#base`: that would make
 * `tenon --help` slower.
 */
class UsageError extends Error {
  readonly next: string;

  constructor(what: string, next: string) {
    super(what);
    this.next = next;
  }

  override get name(): string {
    return "UsageError";
  }
}
