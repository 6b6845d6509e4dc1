import { stat } from "node:fs/promises";
import { type Clock, InputError, Secret, systemClock } from "#base";
import { readNamedFile } from "./credential-field.ts";

/** A value that is read from files which are replaced from time to time. */
export interface RotatingValue<Value> {
  current(): Promise<Value>;
  /** Checks the files now. */
  refresh(): Promise<Value>;
}

const checkEveryMs = 10_000;

/**
 * Reads again when a file has changed; checks at most every 10 s.
 * If a later read fails (a key that does not match yet, a volume being replaced), the last good value stays.
 */
export async function rotatingValue<Value>(
  files: readonly string[],
  read: () => Promise<Value>,
  clock: Pick<Clock, "monotonic"> = systemClock,
): Promise<RotatingValue<Value>> {
  let mark = await markOf(files);
  let value = await read();
  let checkedAt = clock.monotonic();
  let checking: Promise<Value> | undefined;

  async function check(): Promise<Value> {
    try {
      const found = await markOf(files);
      if (found !== mark) {
        value = await read();
        mark = found;
      }
    } catch {
      // Keep the last good value; the next check may succeed.
    }
    checkedAt = clock.monotonic();
    checking = undefined;
    return value;
  }

  const refresh = () => (checking ??= check());
  return {
    current: async () => (clock.monotonic() - checkedAt < checkEveryMs ? value : refresh()),
    refresh,
  };
}

/** Kubernetes changes where a symbolic link of a volume points; `stat` follows the link. */
async function markOf(files: readonly string[]): Promise<string> {
  const stats = await Promise.all(files.map((file) => stat(file, { bigint: true }).catch(() => undefined)));
  return stats.map((found) => (found ? `${found.ino}:${found.size}:${found.mtimeNs}` : "absent")).join();
}

/** A token in a file, which is replaced before the token expires. */
export function rotatingToken(
  file: string,
  where: string,
  clock: Pick<Clock, "monotonic">,
): Promise<RotatingValue<Secret>> {
  return rotatingValue(
    [file],
    async () => {
      const token = (await readNamedFile("the token", file, where)).trim();
      if (token !== "") return new Secret(token);
      throw new InputError(`the token file is empty: ${file}`, { where, next: "write a token there" });
    },
    clock,
  );
}
