import { appendFile, readdir, readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect } from "vitest";
import { type Cost, parts } from "./report-costs.ts";

/** Appends what each test file costs to this file, one JSON object a line. */
export function recordCost(path: string): void {
  let before: Cost;
  beforeAll(async () => {
    before = await readCost();
  });
  afterAll(async () => {
    const after = await readCost();
    const file = expect.getState().testPath?.replace(`${process.cwd()}/`, "");
    const spent = Object.fromEntries(parts.map((part) => [part, after[part] - before[part]]));
    await appendFile(path, `${JSON.stringify({ file, ...spent })}\n`);
  });
}

async function readCost(): Promise<Cost> {
  const [worker, children] = await readTimes(process.pid);
  const instance = /\/([^/]+)\/pki\/[^/]+$/.exec(process.env["TENON_TEST_KUBECONFIG"] ?? "")?.[1];
  let controlPlane = 0;
  for (const pid of (await readdir("/proc")).filter((entry) => /^\d+$/.test(entry)).map(Number)) {
    const command = (await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")).replaceAll("\0", " ");
    const isOurs = command.startsWith(`tenon-${instance}/`) || command.includes(` --name ${instance} `);
    if (isOurs) controlPlane += (await readTimes(pid))[0];
  }
  return { worker, children, controlPlane };
}

/** User and system time of a process, and of its children that have ended: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html */
async function readTimes(pid: number): Promise<readonly [own: number, children: number]> {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [user = 0, system = 0, childUser = 0, childSystem = 0] = fields
    .slice(11, 15)
    .map((ticks) => Number(ticks) * 10);
  return [user + system, childUser + childSystem];
}
