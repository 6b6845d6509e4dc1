/** A command of a page that no test of pages runs, and why. */
export interface CommandNotRun {
  readonly page: string;
  /** How the command begins. */
  readonly typed: string;
  readonly reason: string;
}

/** Everything else that a page says is run: by test/first-hour, or by test/pages. */
export const notRun: readonly CommandNotRun[] = [
  { page: "README.md", typed: "make test", reason: "runs the tests, of which this is one" },
];

export function isRun(page: string, typed: string): boolean {
  return !notRun.some((entry) => entry.page === page && typed.startsWith(entry.typed));
}
