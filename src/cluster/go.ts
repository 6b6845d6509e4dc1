import { execFile, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

const run = promisify(execFile);

/** The version of the Go on the PATH, such as `1.26.8`; undefined when there is none. */
export async function goVersion(): Promise<string | undefined> {
  try {
    const { stdout } = await run("go", ["env", "GOVERSION"], { env: { ...process.env, GOTOOLCHAIN: "local" } });
    return stdout.trim().replace(/^go/, "");
  } catch {
    return undefined;
  }
}

/** The values of variables such as GOCACHE by `go env`. */
export async function goEnvironment(...names: string[]): Promise<string[]> {
  const { stdout } = await run("go", ["env", ...names]);
  return stdout.trimEnd().split("\n");
}

/** Where the sources of a module are that the module in `directory` requires; downloads them first if need be. */
export async function moduleDirectory(directory: string, module: string): Promise<string> {
  const options = { cwd: directory, env: buildEnvironment() };
  await run("go", ["mod", "download", module], options);
  const { stdout } = await run("go", ["list", "-m", "-f", "{{.Dir}}", module], options);
  return stdout.trim();
}

export interface GoRun {
  readonly directory: string;
  readonly arguments: readonly string[];
  readonly onLine?: (line: string) => void;
  /** How long Go may print nothing before it is killed. */
  readonly silenceMs?: number;
}

export interface GoResult {
  readonly ok: boolean;
  readonly stdout: string;
  /** The last lines Go wrote to standard error. */
  readonly tail: readonly string[];
}

/** The user's environment, with what decides a build of ours. */
export function buildEnvironment(): NodeJS.ProcessEnv {
  return {
    ...process.env,
    CGO_ENABLED: "0",
    GOFLAGS: "-mod=readonly",
    GOWORK: "off",
    // Downloads over HTTP/2 have hung; over HTTP/1 none has.
    GODEBUG: "http2client=0",
  };
}

/** Runs Go with the user's environment, except for variables that would change the build. A failure of Go is a result. */
export async function runGo(options: GoRun, signal: AbortSignal): Promise<GoResult> {
  const silence = new AbortController();
  const child = spawn("go", options.arguments, {
    cwd: options.directory,
    stdio: ["ignore", "pipe", "pipe"],
    signal: AbortSignal.any([signal, silence.signal]),
    env: buildEnvironment(),
  });
  const quiet = options.silenceMs ? setTimeout(() => silence.abort(), options.silenceMs) : undefined;
  const tail: string[] = [];
  createInterface(child.stderr).on("line", (line) => {
    quiet?.refresh();
    tail.push(line);
    if (tail.length > 40) tail.shift();
    options.onLine?.(line);
  });
  let stdout = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  const ok = await new Promise<boolean>((resolve) => {
    child.once("error", (error) => {
      tail.push(silence.signal.aborted ? `go printed nothing for ${options.silenceMs} ms` : error.message);
    });
    child.once("close", (code) => resolve(code === 0));
  });
  clearTimeout(quiet);
  signal.throwIfAborted();
  return { ok, stdout, tail };
}
