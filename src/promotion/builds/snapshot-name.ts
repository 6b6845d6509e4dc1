import { createHash } from "node:crypto";

/** How many names are tried until one is free: of a large application hundreds of builds start with one commit. */
export const mostNames = 64;
const letters = "0123456789abcdefghijklmnopqrstuvwxyz";

/**
 * `shop-20260102-030405-678`, by the start of the build in UTC. Builds often start in the same second, and Tekton knows no
 * finer time; later attempts add two letters of a hash of the build, so that a repeated attempt finds its own Snapshot. A
 * build without a time has a hash instead, so that its name is the same whenever it is declared.
 */
export function snapshotName(owner: string, startedAt: number | undefined, build: string, attempt: number): string {
  const hash = createHash("sha256").update(`${build}/${attempt}`).digest();
  if (startedAt === undefined) return `${cut(owner, 46)}-${hash.toString("hex", 0, 8)}`;
  const [date = "", time = "", milliseconds = ""] = new Date(startedAt).toISOString().split(/[T.Z]/);
  const stamp = `${date.replaceAll("-", "")}-${time.replaceAll(":", "")}-${milliseconds}`;
  if (attempt === 0) return `${cut(owner, 43)}-${stamp}`;
  const [first = 0, second = 0] = hash;
  return `${cut(owner, 40)}-${stamp}-${letters[first % 36]}${letters[second % 36]}`;
}

function cut(owner: string, length: number): string {
  return owner.slice(0, length).replace(/-+$/, "");
}
