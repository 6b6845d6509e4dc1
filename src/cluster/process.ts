import { readFile } from "node:fs/promises";

/** Identifies a process by its pid and the tick at which it started, because the kernel reuses pids. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly startTicks: string;
}

/** Whether this process is still running; a zombie is not. */
export async function isRunning(identity: ProcessIdentity): Promise<boolean> {
  const stat = await readFile(`/proc/${identity.pid}/stat`, "utf8").catch(() => "");
  // The second field is the command's name in brackets, and may itself hold spaces and brackets.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields[0] !== "Z" && fields[19] === identity.startTicks;
}
