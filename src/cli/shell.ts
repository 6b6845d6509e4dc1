/** Where a command writes. */
export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  /** Only of a terminal, and 0 where nobody told it its size. */
  readonly columns?: number;
}

export interface Input extends NodeJS.ReadableStream {
  readonly isTTY?: boolean;
}

/** What a command sees of the process it runs in; tests hand in one of their own. */
export interface Shell {
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Aborted when the user interrupts: clean up and reject with its reason. */
  readonly signal: AbortSignal;
}
