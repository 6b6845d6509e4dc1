import { Readable } from "node:stream";
import type { ShellInput, Shell } from "./shell.ts";

export interface FakeShellOptions {
  readonly env?: NodeJS.ProcessEnv;
  /** Lines the user types; with these the shell is a terminal. */
  readonly typed?: readonly string[];
  readonly columns?: number;
  readonly words?: readonly string[];
  readonly signal?: AbortSignal;
}

/** Not even root can create a directory here, so a command that should have failed cannot write to the real home. */
const nowhere = "/proc/nowhere";

/** A shell for tests: records its output, and is a terminal only if it has typed lines or columns. */
export class FakeShell implements Shell {
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: ShellInput;
  readonly stdout: FakeOutput;
  readonly stderr: FakeOutput;
  readonly signal: AbortSignal;
  readonly words?: readonly string[];

  constructor({ env = {}, typed, columns, words, signal }: FakeShellOptions = {}) {
    const isTTY = typed !== undefined || columns !== undefined;
    this.env = { XDG_CACHE_HOME: nowhere, XDG_DATA_HOME: nowhere, ...env };
    this.stdin = Object.assign(Readable.from((typed ?? []).map((line) => `${line}\n`)), { isTTY });
    this.stdout = new FakeOutput(isTTY, columns ?? 80);
    this.stderr = new FakeOutput(isTTY, columns ?? 80);
    if (words !== undefined) this.words = words;
    this.signal = signal ?? new AbortController().signal;
  }
}

class FakeOutput {
  readonly isTTY: boolean;
  readonly columns: number;
  text = "";

  constructor(isTTY: boolean, columns: number) {
    this.isTTY = isTTY;
    this.columns = columns;
  }

  write(text: string): void {
    this.text += text;
  }
}
