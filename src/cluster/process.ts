import { readFile } from "node:fs/promises";

/** Identifies a process by its pid and the tick at which it started, because the kernel reuses pids. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly startTicks: string;
}

/** Whether this process is still running; a zombie is not. */
export async function isRunning(identity: ProcessIdentity): Promise<boolean> {
  return (await identifyProcess(identity.pid))?.startTicks === identity.startTicks;
}

/** The process that has this pid now; undefined if there is none but a zombie. */
export async function identifyProcess(pid: number): Promise<ProcessIdentity | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  // The second field is the command's name in brackets, and may itself hold spaces and brackets.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const startTicks = fields[19];
  return fields[0] === "Z" || startTicks === undefined ? undefined : { pid, startTicks };
}
