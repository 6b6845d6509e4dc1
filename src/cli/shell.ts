/** Where a command writes. */
export interface ShellOutput {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  /** Only for a terminal, and 0 if its size is unknown. */
  readonly columns?: number;
}

export interface ShellInput extends NodeJS.ReadableStream {
  readonly isTTY?: boolean;
}

/** What a command sees of the process it runs in; tests pass in their own. */
export interface Shell {
  readonly env: NodeJS.ProcessEnv;
  /** What the user typed after the program's name, to show a command that can be typed instead. */
  readonly words?: readonly string[];
  readonly stdin: ShellInput;
  readonly stdout: ShellOutput;
  readonly stderr: ShellOutput;
  /** Aborted when the user interrupts; a command cleans up and rejects with its reason. */
  readonly signal: AbortSignal;
  /** Says what the command does now, where a person watches. */
  readonly progress?: ((text: string) => void) | undefined;
}
