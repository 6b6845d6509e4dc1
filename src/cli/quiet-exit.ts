/** Ends a command that has said all it has to say, with an exit code of its own. */
export class QuietExit extends Error {
  readonly exitCode: number;

  constructor(exitCode: number) {
    super(`ended with exit code ${exitCode}`);
    this.exitCode = exitCode;
  }

  override get name(): string {
    return "QuietExit";
  }
}
