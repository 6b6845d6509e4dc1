import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { canonicalJson } from "../ours.ts";
import { ensurePythonModules } from "./python-modules.ts";

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
  const modules = await ensurePythonModules(requirements);
  if (!("directory" in modules)) return modules.missing;
  const env = {
    PATH: process.env["PATH"],
    PYTHONPATH: modules.directory,
    PYTHONUTF8: "1",
    PYTHONDONTWRITEBYTECODE: "1",
  };
  return new PyyamlProcess(spawn("python3", [join(import.meta.dirname, "serve.py")], { env }));
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
