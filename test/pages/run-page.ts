import { setTimeout as sleep } from "node:timers/promises";
import { matchesSample } from "./match-sample.ts";
import type { PageBlock, PageCommand } from "./read-page.ts";
import { Terminal, type TerminalOptions } from "./terminal.ts";

/** Commands that run until Ctrl-C; the page says to type them in a terminal of their own. */
const longRunning = /^(\S*tenon (run|data serve)|\S*node examples\/(controller|propose)\/|git daemon )/;
/** Commands that only look: a person whose screen does not show the sample yet looks again. */
const patienceMs = 5 * 60_000;
const looking = /^(kubectl .*\bget\b|\S*tenon .*\b(get|graph|plan|explain|status|history)\b|curl )/;

/** What a page says, and what is there instead: typed for it, and shown as it. */
export type StandIns = Readonly<Record<string, string>>;

/** The terminals of a reader: the first one, and one for each program that keeps running. */
export class Reader implements AsyncDisposable {
  readonly #options: TerminalOptions & { readonly standIns?: StandIns };
  readonly #first: Terminal;
  readonly #others: Terminal[] = [];
  #spentMs = 0;

  private constructor(options: TerminalOptions & { readonly standIns?: StandIns }, first: Terminal) {
    this.#options = options;
    this.#first = first;
  }

  static async sitDown(options: TerminalOptions & { readonly standIns?: StandIns }): Promise<Reader> {
    return new Reader(options, await Terminal.open(options));
  }

  /** How long the commands took in all. */
  get spentMs(): number {
    return this.#spentMs;
  }

  /** Types what the block says, in order; fails where the screen does not show what the block shows. */
  async follow(block: Pick<PageBlock, "page" | "commands">): Promise<void> {
    const { page } = block;
    const commands = block.commands.filter(({ notRun }) => notRun === undefined);
    const terminal = commands.some(({ typed }) => longRunning.test(typed)) ? await this.#another() : this.#first;
    for (const command of commands) {
      const begin = performance.now();
      try {
        const { standIns = {} } = this.#options;
        await (longRunning.test(command.typed) ? keep : tryOut)(command, standIns, terminal);
      } catch (error) {
        const where = `${page}:${command.line}`;
        throw new Error(`${where}: $ ${command.typed}\n${error instanceof Error ? error.message : String(error)}`, {
          cause: error,
        });
      }
      this.#spentMs += performance.now() - begin;
    }
  }

  /** Types something that is not on a page; it must succeed. */
  async prepare(typed: string): Promise<void> {
    await this.follow({ page: "before the page", commands: [{ line: 0, typed, sample: ["..."] }] });
  }

  /** Ctrl-C in the other terminals. */
  async interruptOthers(): Promise<void> {
    for (const other of this.#others.splice(0)) {
      await other.interrupt();
      await other[Symbol.asyncDispose]();
    }
  }

  /** A second terminal is in the same folder, and knows nothing of what was exported in the first. */
  async #another(): Promise<Terminal> {
    const here = (await this.#first.type("pwd")).output.trim();
    const other = await Terminal.open(this.#options);
    this.#others.push(other);
    await other.type(`cd '${here}'`);
    return other;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const terminal of [...this.#others, this.#first]) await terminal[Symbol.asyncDispose]();
  }
}

async function tryOut({ typed, sample }: PageCommand, standIns: StandIns, terminal: Terminal): Promise<void> {
  const answers = sample.flatMap((line) => /\[y\/N\] (\w+)$/.exec(line)?.[1] ?? []);
  const end = performance.now() + patienceMs;
  for (;;) {
    const result = await terminal.type(applyStandIns(typed, standIns), answers);
    const [output, exitCode] = [hideStandIns(result.output, standIns), result.exitCode];
    const isAsShown = sample.length === 0 || matchesSample(sample, output);
    if (isAsShown && (exitCode === 0 || mayFail(typed, exitCode, sample))) return;
    const problem = `exit code ${exitCode}; expected\n${sample.join("\n")}\ngot\n${output}`;
    if (!looking.test(typed) || performance.now() > end) throw new Error(problem);
    await sleep(500);
  }
}

async function keep({ typed, sample }: PageCommand, standIns: StandIns, terminal: Terminal): Promise<void> {
  terminal.start(applyStandIns(typed, standIns));
  const isShown = (output: string): boolean => matchesSample([...sample, "..."], hideStandIns(output, standIns));
  if (sample.length > 0) await terminal.untilShown(isShown);
}

export function applyStandIns(text: string, standIns: StandIns): string {
  return Object.entries(standIns).reduce((changed, [said, there]) => changed.replaceAll(said, there), text);
}

function hideStandIns(text: string, standIns: StandIns): string {
  return Object.entries(standIns).reduce((changed, [said, there]) => changed.replaceAll(there, said), text);
}

/** `tenon plan` says by its exit code that there are changes, and a sample may show an error. */
function mayFail(typed: string, exitCode: number, sample: readonly string[]): boolean {
  if (/tenon .*\bplan\b/.test(typed) && exitCode === 2) return true;
  return sample.some((line) => /^error|^Error|: error: /.test(line));
}
