import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempDisposable, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { bundleProgram } from "./bundle-program.ts";

/** What an operator has cost so far. */
export interface Cost {
  readonly reads: number;
  readonly writes: number;
  readonly events: number;
  /** With that of programs that it started and that have ended. */
  readonly cpuMs: number;
  readonly rssMb: number;
}

export interface OperatorProcess extends AsyncDisposable {
  cost(): Promise<Cost>;
  /** When nothing was requested for longer than Events wait before they are written. */
  quiet(): Promise<void>;
}

interface OperatorOptions {
  /** Called instead of every apparatus of a socket. */
  readonly apparatus?: string;
  /** Default: what Node allows itself within the memory of the chart. */
  readonly heapMb?: number;
}

export interface OperatorProgram extends AsyncDisposable {
  start(kubeconfig: string, options?: OperatorOptions): Promise<OperatorProcess>;
}

/**
 * An operator in a process of its own: in its published form, as the image starts it, and with the heap that Node allows itself
 * within the 512 MiB of the chart. With all memory of a big machine it would collect its garbage later.
 */
export async function operatorProgram(file = "bench/couple-operator.ts"): Promise<OperatorProgram> {
  const directory = await mkdtempDisposable(join(tmpdir(), "tenon-bench-operator-"));
  await symlink(join(import.meta.dirname, "..", "node_modules"), join(directory.path, "node_modules"));
  const program = bundleProgram(file, directory.path);
  return {
    start: async (kubeconfig, options = {}) => await startOperator(program, kubeconfig, options),
    [Symbol.asyncDispose]: async () => await directory[Symbol.asyncDispose](),
  };
}

async function startOperator(
  program: string,
  kubeconfig: string,
  { apparatus, heapMb = 256 }: OperatorOptions,
): Promise<OperatorProcess> {
  const child: ChildProcess = fork(program, [kubeconfig, ...(apparatus === undefined ? [] : [apparatus])], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
    execArgv: ["--max-semi-space-size=4", `--max-old-space-size=${heapMb}`],
  });
  const ended = once(child, "exit").then(() => {
    throw new Error("the operator has ended");
  });
  ended.catch(() => {}); // every wait below races with it
  async function cost(): Promise<Cost> {
    child.send("cost");
    const [answer]: Cost[] = await Promise.race([once(child, "message"), ended]);
    if (!answer) throw new Error("the operator did not answer");
    return answer;
  }
  await Promise.race([once(child, "message"), ended]);
  return {
    cost,
    async quiet() {
      for (let before = -1; ; ) {
        const { reads, writes, events } = await cost();
        if (reads + writes + events === before) return;
        before = reads + writes + events;
        await sleep(1_500);
      }
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null) return;
      child.disconnect();
      await once(child, "exit");
    },
  };
}
