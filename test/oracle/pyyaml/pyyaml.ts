import { type ChildProcessWithoutNullStreams, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { clusterHome } from "#cluster";
import { canonicalJson } from "../ours.ts";

const run = promisify(execFile);
const requirements = join(import.meta.dirname, "requirements.txt");

/** What PyYAML makes of a text: the value as JSON, or `null` if it does not read it. `undefined` if it gave up. */
export type PyyamlAnswer = string | null | undefined;

/** PyYAML, to be asked. Texts are answered in order. */
export interface Pyyaml extends AsyncDisposable {
  ask(texts: readonly string[]): Promise<PyyamlAnswer[]>;
}

/** The version that is compared with, such as `PyYAML==6.0.3`. */
export async function pinnedPyyaml(): Promise<string> {
  return (await readFile(requirements, "utf8")).trim();
}

/** Starts Python with PyYAML, which pip puts into the cache on first use. A string says why this machine has none. */
export async function startPyyaml(): Promise<Pyyaml | string> {
  const modules = await ensureModules();
  if (!("directory" in modules)) return modules.missing;
  const env = {
    PATH: process.env["PATH"],
    PYTHONPATH: modules.directory,
    PYTHONUTF8: "1",
    PYTHONDONTWRITEBYTECODE: "1",
  };
  return new PyyamlProcess(spawn("python3", [join(import.meta.dirname, "serve.py")], { env }));
}

type Modules = { readonly directory: string } | { readonly missing: string };

async function ensureModules(): Promise<Modules> {
  const python = await run("python3", ["-c", "import sys; print(sys.implementation.cache_tag)"]).catch(() => undefined);
  if (!python) return { missing: "python3 not found" };
  const cache = join(dirname(clusterHome().cache), "oracle");
  const directory = join(cache, `${(await pinnedPyyaml()).replace("==", "-")}-${python.stdout.trim()}`);
  if (await stat(directory).catch(() => undefined)) return { directory };
  await mkdir(cache, { recursive: true });
  const unfinished = await mkdtemp(`${directory}.`);
  try {
    const words = ["install", "--quiet", "--disable-pip-version-check", "--no-compile", "--target", unfinished];
    await run("python3", ["-m", "pip", ...words, "--requirement", requirements]);
    // Two at a time put the same files there, and the first one stays.
    await rename(unfinished, directory).catch(() => undefined);
    return { directory };
  } catch (error) {
    const said = error instanceof Error && "stderr" in error ? String(error.stderr).trim().split("\n").at(-1) : "";
    return { missing: `pip cannot install ${await pinnedPyyaml()}: ${said}` };
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

interface ServedAnswer {
  readonly output?: string;
  readonly fatal?: boolean;
}

class PyyamlProcess implements Pyyaml {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #lines: AsyncIterator<string>;
  #stderr = "";

  constructor(child: ChildProcessWithoutNullStreams) {
    this.#child = child;
    this.#lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    child.stderr.setEncoding("utf8").on("data", (text: string) => (this.#stderr += text));
    child.stdin.on("error", () => {}); // it died, and its lines end
  }

  async ask(texts: readonly string[]): Promise<PyyamlAnswer[]> {
    this.#child.stdin.write(texts.map((text) => `${JSON.stringify({ text })}\n`).join(""));
    const answers: PyyamlAnswer[] = [];
    while (answers.length < texts.length) {
      const { value, done } = await this.#lines.next();
      if (done) throw new Error(`Python died: ${this.#stderr}`);
      const { output, fatal }: ServedAnswer = JSON.parse(value);
      answers.push(fatal ? undefined : output === undefined ? null : canonicalJson(JSON.parse(output)));
    }
    return answers;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#child, "close");
    this.#child.kill();
    await closed;
  }
}
