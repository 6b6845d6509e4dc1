import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { ensureOracle } from "./programs.ts";
import type { ChartAnswer, ChartRequest, OracleAnswer, OracleRequest } from "./requests.ts";

/** Go, to be asked. Questions may be asked all at once: they are sent together and answered in order. */
export interface Oracle extends AsyncDisposable {
  ask(request: ChartRequest): Promise<ChartAnswer>;
  ask(request: OracleRequest): Promise<OracleAnswer>;
}

/** Starts the oracle, and builds it first where it is not in the cache. */
export async function startOracle(signal: AbortSignal = new AbortController().signal): Promise<Oracle> {
  return new OracleProcess(await ensureOracle(signal));
}

interface Question {
  readonly line: string;
  readonly resolve: (answer: OracleAnswer) => void;
}

/** Its exit code after an answer that leaves it unfit for another: something in it cannot be stopped. */
const unfit = 3;

class OracleProcess implements Oracle {
  readonly #path: string;
  #child: ChildProcessWithoutNullStreams | undefined;
  #stderr = "";
  /** Asked and not yet answered, oldest first, from `#answered` on. */
  #questions: Question[] = [];
  #answered = 0;
  #unsent: string[] = [];

  constructor(path: string) {
    this.#path = path;
  }

  ask(request: OracleRequest): Promise<ChartAnswer> {
    return new Promise((resolve) => {
      const line = `${JSON.stringify(request)}\n`;
      this.#questions.push({ line, resolve });
      this.#send(line);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#child) return;
    const closed = once(this.#child, "close");
    this.#child.kill();
    await closed;
  }

  /** Lines of one turn of the event loop leave in one write. */
  #send(line: string): void {
    if (this.#unsent.length === 0) {
      setImmediate(() => {
        const text = this.#unsent.join("");
        this.#unsent = [];
        this.#child ??= this.#start();
        this.#child.stdin.write(text);
      });
    }
    this.#unsent.push(line);
  }

  #start(): ChildProcessWithoutNullStreams {
    const child = spawn(this.#path, ["serve"], { env: { TZ: "UTC", GOMAXPROCS: "1", GOGC: "400" } });
    createInterface(child.stdout).on("line", (line) => this.#onAnswer(line));
    this.#stderr = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      if (this.#stderr.length < 1_000) this.#stderr += text;
    });
    child.stdin.on("error", () => {}); // it died, and "close" follows
    child.on("close", (code) => this.#onClose(code));
    return child;
  }

  #onAnswer(line: string): void {
    const question = this.#questions[this.#answered++];
    if (this.#answered === this.#questions.length) {
      this.#questions = [];
      this.#answered = 0;
    }
    question?.resolve(JSON.parse(line));
  }

  /** The oldest question killed it, unless it says otherwise; the others are asked again. */
  #onClose(code: number | null): void {
    this.#child = undefined;
    const open = this.#questions.slice(this.#answered);
    if (code === null) return; // ended by us
    if (code !== unfit) open.shift()?.resolve({ error: `Go died: ${this.#stderr}`, phase: "execute", fatal: true });
    this.#questions = open;
    this.#answered = 0;
    this.#unsent = [];
    for (const { line } of open) this.#send(line);
  }
}
