import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { stripVTControlCharacters } from "node:util";

export interface TerminalOptions {
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
}

const columns = 80;
const rows = 24;
const limitMs = 15 * 60_000;

/** What a command printed as a person sees it, and how it ended. */
export interface TypedResult {
  readonly output: string;
  readonly exitCode: number;
}

/**
 * A bash in a pseudo-terminal of 80 by 24, made by `script` of util-linux. Its prompt says that the command before it has ended,
 * so that nothing is typed into the input of a program.
 */
export class Terminal implements AsyncDisposable {
  readonly #process: ChildProcessWithoutNullStreams;
  readonly #prompt = `<<${crypto.randomUUID().slice(0, 8)} `;
  #text = "";
  #wake = (): void => {};

  private constructor({ folder, env }: TerminalOptions) {
    const shell = "exec bash --norc --noprofile --noediting -i";
    const command = `stty cols ${columns} rows ${rows} -echo; PS1='${this.#prompt}$?>>' PS2='' ${shell}`;
    this.#process = spawn("script", ["--quiet", "--flush", "--command", command, "/dev/null"], {
      cwd: folder,
      env: { ...env, TERM: "xterm-256color", SHELL: "/bin/sh" },
    });
    const onText = (text: string): void => {
      this.#text += text;
      this.#wake();
    };
    this.#process.stdout.setEncoding("utf8").on("data", onText);
    this.#process.stderr.setEncoding("utf8").on("data", onText);
    this.#process.on("exit", () => this.#wake());
  }

  static async open(options: TerminalOptions): Promise<Terminal> {
    const terminal = new Terminal(options);
    await terminal.#until(() => terminal.#ended());
    return terminal;
  }

  /** Types a command, answers its questions, and waits until it has ended. */
  async type(command: string, answers: readonly string[] = []): Promise<TypedResult> {
    this.start(command);
    for (const answer of answers) {
      await this.#until(() => this.#text.endsWith("[y/N] ") || this.#ended() !== undefined);
      if (this.#ended() === undefined) this.#send(`${answer}\n`);
      this.#text += `${answer}\n`; // as the terminal would echo it
    }
    await this.#until(() => this.#ended());
    return { output: this.shown(), exitCode: this.#ended() ?? -1 };
  }

  /** Types a command that runs until it is interrupted. */
  start(command: string): void {
    this.#text = "";
    this.#send(`${command}\n`);
  }

  /** Waits until the command that runs shows this. */
  async untilShown(isShown: (output: string) => boolean): Promise<void> {
    await this.#until(() => isShown(this.shown()) || this.#ended() !== undefined);
    if (!isShown(this.shown())) throw new Error(`the command ended early:\n${this.shown()}`);
  }

  async interrupt(): Promise<TypedResult> {
    if (this.#ended() === undefined) this.#send("\u0003");
    await this.#until(() => this.#ended());
    return { output: this.shown(), exitCode: this.#ended() ?? -1 };
  }

  /** Lines that were redrawn count as they were in the end. */
  shown(): string {
    const lines = stripVTControlCharacters(this.#text.replaceAll("\r\n", "\n")).split("\n");
    const text = lines.map((line) => line.slice(line.lastIndexOf("\r") + 1)).join("\n");
    const end = text.indexOf(this.#prompt);
    return end < 0 ? text : text.slice(0, end);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#process.exitCode !== null) return;
    const exit = once(this.#process, "exit");
    this.#send("\u0003");
    this.#process.stdin.end("exit\n");
    const timer = setTimeout(() => this.#process.kill("SIGKILL"), 30_000);
    await exit;
    clearTimeout(timer);
  }

  #send(text: string): void {
    this.#process.stdin.write(text);
  }

  #ended(): number | undefined {
    const at = this.#text.indexOf(this.#prompt);
    const [, code] = at < 0 ? [] : (/^(\d+)>>/.exec(this.#text.slice(at + this.#prompt.length)) ?? []);
    return code === undefined ? undefined : Number(code);
  }

  async #until(isReached: () => unknown): Promise<void> {
    const timer = setTimeout(() => this.#process.kill("SIGKILL"), limitMs);
    const isOver = (): boolean => {
      const reached = isReached();
      return reached !== undefined && reached !== false;
    };
    while (!isOver()) {
      if (this.#process.exitCode !== null || this.#process.signalCode !== null) {
        throw new Error(`the terminal has ended, after it showed:\n${this.shown()}`);
      }
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    clearTimeout(timer);
  }
}
