import { stat } from "node:fs/promises";
import { type Clock, InputError, Secret, systemClock } from "#base";
import { readNamedFile } from "./credential-field.ts";

/** A value kept in files that somebody replaces from time to time. */
export interface RotatingValue<Value> {
  current(): Promise<Value>;
  /** Looks at the files at once. */
  refresh(): Promise<Value>;
}

const lookEveryMs = 10_000;

/**
 * Reads again when a file has changed; looks every 10 s at most.
 * What cannot be read later (a key that does not fit yet, a volume being replaced) leaves the last good value in place.
 */
export async function rotatingValue<Value>(
  files: readonly string[],
  read: () => Promise<Value>,
  clock: Pick<Clock, "monotonic"> = systemClock,
): Promise<RotatingValue<Value>> {
  let mark = await markOf(files);
  let value = await read();
  let lookedAt = clock.monotonic();
  let looking: Promise<Value> | undefined;

  async function look(): Promise<Value> {
    try {
      const found = await markOf(files);
      if (found !== mark) {
        value = await read();
        mark = found;
      }
    } catch {
      // The last good value stays; the next look may find a better one.
    }
    lookedAt = clock.monotonic();
    looking = undefined;
    return value;
  }

  const refresh = () => (looking ??= look());
  return {
    current: async () => (clock.monotonic() - lookedAt < lookEveryMs ? value : refresh()),
    refresh,
  };
}

/** Kubernetes replaces what a symbolic link of a volume points to; `stat` sees the file behind it. */
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
