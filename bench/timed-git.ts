import { execFileSync } from "node:child_process";
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";

/** A git that notes when it ran, for a process that finds it first in its PATH. */
export class TimedGit {
  /** The PATH of such a process. */
  readonly path: string;
  readonly #log: string;

  private constructor(directory: string) {
    this.path = [join(directory, "bin"), process.env["PATH"]].join(delimiter);
    this.#log = join(directory, "runs");
  }

  static async install(directory: string): Promise<TimedGit> {
    const git = new TimedGit(directory);
    const program = join(directory, "bin", "git");
    const found = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
    await mkdir(join(directory, "bin"), { recursive: true });
    await writeFile(git.#log, "");
    const script = `#!/bin/sh
begin=$(date +%s%3N)
"${found}" "$@"
code=$?
echo "$begin $(date +%s%3N)" >> "${git.#log}"
exit $code
`;
    await writeFile(program, script);
    await chmod(program, 0o755);
    return git;
  }

  /** Milliseconds of this time in which at least one ran. */
  async milliseconds(from: number, to: number): Promise<number> {
    let [sum, until] = [0, from];
    for (const { begin, end } of await this.#runs(from, to)) {
      sum += Math.max(0, Math.min(end, to) - Math.max(begin, until));
      until = Math.max(until, end);
    }
    return sum;
  }

  async #runs(from: number, to: number): Promise<readonly { readonly begin: number; readonly end: number }[]> {
    const lines = (await readFile(this.#log, "utf8")).split("\n").filter((line) => line !== "");
    return lines
      .map((line) => line.split(" ").map(Number))
      .map(([begin = Number.NaN, end = Number.NaN]) => ({ begin, end }))
      .filter(({ begin, end }) => end > from && begin < to)
      .toSorted((a, b) => a.begin - b.begin);
  }
}
