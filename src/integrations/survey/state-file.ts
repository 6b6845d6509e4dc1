import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { InputError } from "#base";
import {
  type NamespaceMemory,
  readRemembered,
  type RememberedNamespace,
  writeRemembered,
} from "./remembered-namespaces.ts";

/** Memory in a file, for a manager that runs by hand or in CI: `--state-file`. */
export function stateFile(path: string): NamespaceMemory {
  const file = resolve(path);

  async function readText(): Promise<string | undefined> {
    try {
      return await readFile(file, "utf8");
    } catch (cause) {
      const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
      if (code === "ENOENT") return undefined;
      throw new InputError(`cannot read the state file (${code})`, { where: file, next: "make it readable", cause });
    }
  }

  async function read(): Promise<readonly RememberedNamespace[]> {
    return readRemembered(await readText(), file);
  }

  return {
    read,
    async update(change) {
      const before = await read();
      const text = writeRemembered(change(before));
      if (text === writeRemembered(before)) return;
      await mkdir(dirname(file), { recursive: true });
      // A process that is killed while it writes must not leave half a file.
      const draft = `${file}.${process.pid}.tmp`;
      await writeFile(draft, `${text}\n`);
      await rename(draft, file);
    },
  };
}
