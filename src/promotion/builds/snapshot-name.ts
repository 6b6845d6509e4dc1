import { createHash } from "node:crypto";

/** How many names are tried until one is free. */
export const mostNames = 6;
const letters = "0123456789abcdefghijklmnopqrstuvwxyz";

/**
 * `shop-20260102-030405-678`, by the start of the build in UTC. Builds often start in the same second, and Tekton knows no
 * finer time; later attempts add two letters of a hash of the build, so that a repeated attempt finds its own Snapshot.
 */
export function snapshotName(owner: string, startedAt: number, build: string, attempt: number): string {
  const [date = "", time = "", milliseconds = ""] = new Date(startedAt).toISOString().split(/[T.Z]/);
  const stamp = `${date.replaceAll("-", "")}-${time.replaceAll(":", "")}-${milliseconds}`;
  if (attempt === 0) return `${cut(owner, 43)}-${stamp}`;
  const [first = 0, second = 0] = createHash("sha256").update(`${build}/${attempt}`).digest();
  return `${cut(owner, 40)}-${stamp}-${letters[first % 36]}${letters[second % 36]}`;
}

function cut(owner: string, length: number): string {
  return owner.slice(0, length).replace(/-+$/, "");
}
