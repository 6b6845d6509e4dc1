import { valueAt } from "#base";
import { ApiError, type KubeClient, type KubeObject } from "#kube";
import { type NamespaceMemory, readRemembered, writeRemembered } from "./remembered-namespaces.ts";
import { memoryName } from "../manager-defaults.ts";

export interface ConfigMapName {
  readonly namespace: string;
  /** Default `tenon-managed-namespaces`. */
  readonly name?: string | undefined;
}

const key = "namespaces";
/** Managers that share the memory write at the same time now and then. */
const attempts = 10;

/** Memory in a ConfigMap of the manager's own namespace. */
export function configMapMemory(
  client: Pick<KubeClient, "find" | "create" | "replace">,
  { namespace, name = memoryName }: ConfigMapName,
): NamespaceMemory {
  const ref = { apiVersion: "v1", kind: "ConfigMap", namespace, name };
  const where = `ConfigMap ${namespace}/${name}`;

  function contentOf(found: KubeObject | undefined): ReturnType<typeof readRemembered> {
    const text = found && valueAt(found, ["data", key]);
    return readRemembered(typeof text === "string" ? text : undefined, where);
  }

  return {
    read: async (signal) => contentOf(await client.find(ref, signal)),
    async update(change, signal) {
      for (let attempt = 1; ; attempt += 1) {
        const found = await client.find(ref, signal);
        const before = contentOf(found);
        const text = writeRemembered(change(before));
        if (text === writeRemembered(before)) return;
        const { apiVersion, kind } = ref;
        try {
          if (found) await client.replace({ ...found, apiVersion, kind, data: { [key]: text } }, {}, signal);
          else
            await client.create({ apiVersion, kind, metadata: { namespace, name }, data: { [key]: text } }, {}, signal);
          return;
        } catch (error) {
          const isRace = error instanceof ApiError && (error.isConflict || error.isAlreadyExists);
          if (!isRace || attempt === attempts) throw error;
        }
      }
    },
  };
}
