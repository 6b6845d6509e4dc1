import { beforeAll } from "vitest";
import { valueAt } from "#base";
import { conditionOf } from "#coupling";
import { type CoupledWorld, clientWithRights, type RoleRule } from "#harness";
import type { KubeClient, KubeObject, ObjectRef } from "#kube";

/** A tenant that may create plugs, sockets, ConfigMaps and Secrets in its own namespace, and nothing elsewhere. */
export interface Tenant {
  readonly namespace: string;
  readonly client: KubeClient;
  plug(name: string, spec: object): KubeObject;
  ref(kind: string, name: string): ObjectRef;
  create(...objects: readonly KubeObject[]): Promise<void>;
  /** Changes the spec of a plug. */
  change(name: string, spec: object): Promise<void>;
  /** Deletes, and waits until it is gone. */
  remove(kind: "Plug" | "Socket", name: string): Promise<void>;
  /** What the plug says of why it is not coupled, once it says something. */
  refusal(name: string): Promise<string>;
  waitUntilCoupled(name: string): Promise<KubeObject>;
}

const waiting = new Set(["NamespaceNotAllowed", "LimitReached", "InterfaceMismatch"]);

export function useTenant(world: CoupledWorld, name: string, more: readonly RoleRule[] = []): Tenant {
  let namespace: string;
  let client: KubeClient;

  beforeAll(async () => {
    namespace = await world.namespace(name);
    client = await clientWithRights({ client: world.client, namespace }, [
      { apiGroups: ["integration.rock8s.com"], resources: ["plugs", "sockets"], verbs: ["*"] },
      { apiGroups: [""], resources: ["configmaps", "secrets"], verbs: ["*"] },
      ...more,
    ]);
  });

  const ref = (kind: string, of: string): ObjectRef => ({
    apiVersion: kind === "Plug" || kind === "Socket" ? "integration.rock8s.com/v1beta1" : "v1",
    kind,
    namespace,
    name: of,
  });

  async function waitFor(of: string, isSo: (plug: KubeObject) => boolean): Promise<KubeObject> {
    const found = await world.waitFor(ref("Plug", of), (plug) => plug !== undefined && isSo(plug));
    if (!found) throw new Error("it was there a moment ago");
    return found;
  }

  return {
    get namespace() {
      return namespace;
    },
    get client() {
      return client;
    },
    plug: (of, spec) => world.plug(of, spec, namespace),
    ref,
    async create(...objects) {
      for (const object of objects) await client.create(object);
    },
    async change(of, spec) {
      await client.patch(ref("Plug", of), { type: "merge", body: { spec } });
    },
    async remove(kind, of) {
      await client.delete(ref(kind, of), {});
      await world.waitUntilDeleted(ref(kind, of));
    },
    async refusal(of) {
      return refusalOf(await waitFor(of, (plug) => refusalOf(plug) !== "")) ?? "";
    },
    waitUntilCoupled: (of) =>
      waitFor(of, (plug) => {
        const { generation } = plug.metadata;
        const coupled = conditionOf(plug, "Coupled");
        return coupled?.["status"] === "True" && valueAt(plug, ["status", "observedGeneration"]) === generation;
      }),
  };
}

function refusalOf(plug: KubeObject): string {
  const [failed, coupled] = [conditionOf(plug, "Failed"), conditionOf(plug, "Coupled")];
  if (failed) return String(failed["message"]);
  return waiting.has(String(coupled?.["reason"])) ? String(coupled?.["message"]) : "";
}
