import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { InputError, valueAt } from "#base";
import { ApiError, type KubeClient, type KubeObject } from "#kube";

/** A text that outlives the process. */
export interface TextStore {
  /** For messages. */
  readonly where: string;
  /** Undefined if nothing was written yet. */
  read(signal: AbortSignal): Promise<string | undefined>;
  /** Several processes may share it: `change` gets the text of now, and may be called again. The same text is not written. */
  update(change: (text: string | undefined) => string | undefined, signal: AbortSignal): Promise<void>;
}

export interface ConfigMapKey {
  readonly namespace: string;
  readonly name: string;
  readonly key: string;
}

/** Managers that share a ConfigMap write at the same time now and then. */
const attempts = 10;

/** A text in a ConfigMap of the manager's own namespace. */
export function configMapText(
  client: Pick<KubeClient, "find" | "create" | "replace">,
  { namespace, name, key }: ConfigMapKey,
): TextStore {
  const ref = { apiVersion: "v1", kind: "ConfigMap", namespace, name };

  function textOf(found: KubeObject | undefined): string | undefined {
    const text = found && valueAt(found, ["data", key]);
    return typeof text === "string" ? text : undefined;
  }

  return {
    where: `ConfigMap ${namespace}/${name}`,
    read: async (signal) => textOf(await client.find(ref, signal)),
    async update(change, signal) {
      for (let attempt = 1; ; attempt += 1) {
        const found = await client.find(ref, signal);
        const before = textOf(found);
        const text = change(before);
        if (text === undefined || text === before) return;
        const { apiVersion, kind } = ref;
        const others = found && valueAt(found, ["data"]);
        const data = { ...(typeof others === "object" ? others : {}), [key]: text };
        try {
          if (found) await client.replace({ ...found, apiVersion, kind, data }, {}, signal);
          else await client.create({ apiVersion, kind, metadata: { namespace, name }, data }, {}, signal);
          return;
        } catch (error) {
          const isRace = error instanceof ApiError && (error.isConflict || error.isAlreadyExists);
          if (!isRace || attempt === attempts) throw error;
        }
      }
    },
  };
}

/** A text in a file, for a manager that runs by hand or in CI. */
export function fileText(path: string): TextStore {
  const file = resolve(path);

  async function read(): Promise<string | undefined> {
    try {
      return await readFile(file, "utf8");
    } catch (cause) {
      const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
      if (code === "ENOENT") return undefined;
      throw new InputError(`cannot read the state file (${code})`, { where: file, next: "make it readable", cause });
    }
  }

  return {
    where: file,
    read,
    async update(change) {
      const before = await read();
      const text = change(before);
      if (text === undefined || text === before) return;
      await mkdir(dirname(file), { recursive: true });
      // A process that is killed while it writes must not leave half a file.
      const draft = `${file}.${process.pid}.tmp`;
      await writeFile(draft, text);
      await rename(draft, file);
    },
  };
}
