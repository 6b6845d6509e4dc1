import { execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";

const checkout = join(import.meta.dirname, "..");

interface Output {
  readonly stdout: string;
  readonly stderr: string;
}

/** A run of it that goes on. */
export interface RunningCli extends AsyncDisposable {
  readonly pid: number;
}

/** The CLI as `npm pack` makes it, unpacked, with a home of its own for what it keeps between runs. */
export class PackedCli {
  readonly #program: string;
  readonly #home: string;

  private constructor(directory: string) {
    this.#program = join(directory, "package", "dist", "tenon.js");
    this.#home = join(directory, "home");
  }

  static async pack(directory: string): Promise<PackedCli> {
    const words = ["pack", "--silent", "--pack-destination", directory];
    const file = execFileSync("npm", words, { cwd: checkout, encoding: "utf8" }).trim();
    execFileSync("tar", ["-xzf", join(directory, file), "-C", directory]);
    const packed = new PackedCli(directory);
    await mkdir(packed.#home);
    return packed;
  }

  async run(words: readonly string[]): Promise<Output> {
    return await runProgram(process.execPath, [this.#program, ...words], { HOME: this.#home });
  }

  /** Starts a run that goes on until it is disposed of. */
  start(words: readonly string[], more: Readonly<Record<string, string>> = {}): RunningCli {
    const env = { PATH: process.env["PATH"], HOME: this.#home, ...more };
    const child = spawn(process.execPath, [this.#program, ...words], { env, stdio: "ignore" });
    const closed = once(child, "close");
    if (child.pid === undefined) throw new Error(`${words.join(" ")} does not start`);
    return {
      pid: child.pid,
      async [Symbol.asyncDispose]() {
        child.kill();
        await closed;
      },
    };
  }

  /** Deletes the desired states that earlier runs have kept. */
  async forget(): Promise<void> {
    await rm(join(this.#home, ".cache", "tenon", "desired"), { recursive: true, force: true });
  }

  /** The most memory that a run had, in MB. */
  async peakMemory(words: readonly string[]): Promise<number> {
    const script = `process.on("exit", () => process.stderr.write("peak " + process.resourceUsage().maxRSS));`;
    const probe = `data:text/javascript,${encodeURIComponent(script)}`;
    const args = ["--import", probe, this.#program, ...words];
    const { stderr } = await runProgram(process.execPath, args, { HOME: this.#home });
    return Number(/peak (\d+)/.exec(stderr)?.[1]) / 1024;
  }
}

/** Runs a program to its end, which must be a success. It does not block: a proxy of this process may be between it and a server. */
export async function runProgram(
  file: string,
  words: readonly string[],
  more: Readonly<Record<string, string>>,
): Promise<Output> {
  const env = { PATH: process.env["PATH"], ...more };
  return await new Promise((resolve, reject) => {
    execFile(file, words, { env, encoding: "utf8", maxBuffer: 256 * 2 ** 20 }, (error, stdout, stderr) => {
      if (error) reject(new Error(`${words.join(" ")}: ${stderr}${stdout.slice(-2000)}`, { cause: error }));
      else resolve({ stdout, stderr });
    });
  });
}
