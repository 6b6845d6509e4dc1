import { redact } from "#base";

/** git ran and failed. Not an `InputError` by itself: what failed for want of a network may succeed later. */
export class GitError extends Error {
  readonly exitCode: number | undefined;
  /** The last lines that git wrote on standard error, without known secrets. */
  readonly output: string;

  constructor(command: string, exitCode: number | undefined, output: string) {
    const said = redact(output).trim();
    super(`git ${command} ${exitCode === undefined ? "was ended" : `failed with exit code ${exitCode}`}: ${said}`);
    this.exitCode = exitCode;
    this.output = said;
  }

  override get name(): string {
    return "GitError";
  }
}
