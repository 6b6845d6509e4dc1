import { describeError, Semaphore, valueAt } from "#base";
import type { KubeClient } from "#kube";
import type { ClusterClients } from "../current/cluster-clients.ts";
import type { ResourceInventory } from "../resource-inventory.ts";
import type { ManagedObject } from "../object/managed-object.ts";

const workloads = new Set(["Deployment", "DeploymentConfig", "StatefulSet", "CronJob"]);
const servingCertificates = ["alpha", "beta"].map((stage) => `service.${stage}.openshift.io/serving-cert-secret-name`);
const readsAtOnce = 10;

interface Need {
  readonly needed: NeededObject;
  readonly cluster: string;
  readonly namespace: string;
  readonly workload: ManagedObject;
  readonly address: string;
}

/** An object; "promised" by a Service that has it created; "missing"; or why it could not be read. */
type Answer = { readonly body: unknown } | "promised" | "missing" | { readonly error: unknown };

/**
 * Checks whether desired workloads will find the Secrets and ConfigMaps they need, desired or live, with the keys. What is
 * missing is registered as an error of the workload, which is then neither changed nor deleted.
 */
export async function validatePlanned(
  inventory: ResourceInventory,
  clusters: ClusterClients,
  signal: AbortSignal,
): Promise<void> {
  const answers = wantedObjects(inventory);
  const needs = findNeeds(inventory).filter(({ cluster }) => clusters.get(cluster));
  const open = new Map(needs.flatMap((need) => (answers.has(need.address) ? [] : [[need.address, need]])));
  const byCluster = Map.groupBy(open.values(), ({ cluster }) => cluster);
  await Promise.all(
    [...byCluster].flatMap(([cluster, asked]) => {
      const places = new Semaphore(readsAtOnce);
      const client = clusters.get(cluster);
      return asked.map(async (need) => {
        if (client) answers.set(need.address, await places.run(() => readObject(need, client, signal), signal));
      });
    }),
  );
  for (const need of needs) judge(need, answers.get(need.address) ?? "missing", inventory);
}

function judge(need: Need, answer: Answer, inventory: ResourceInventory): void {
  const { cluster, namespace, workload } = need;
  const { kind, name, key } = need.needed;
  if (answer === "promised") return;
  if (answer !== "missing" && "body" in answer && (key === undefined || hasKey(answer.body, key))) return;
  const { attribution } = workload;
  const what = `${workload.kind} ${workload.name} needs ${kind} ${name}${key === undefined ? "" : ` with the key ${key}`}`;
  const where = { stage: "desired" as const, cluster, namespace, attribution };
  if (answer !== "missing" && "error" in answer) {
    inventory.registerError({ ...where, what: `${what}, which cannot be read: ${describeError(answer.error)}` });
  } else {
    const next = answer === "missing" ? "add it, or create it" : "add the key";
    inventory.registerError({ ...where, what: `${what}, which is missing`, next });
  }
}

function findNeeds(inventory: ResourceInventory): Need[] {
  return [...inventory].flatMap(({ cluster, namespace, desired }) =>
    [...desired.values()]
      .filter(({ kind }) => workloads.has(kind))
      .flatMap((workload) =>
        neededObjects(workload.body).map((needed) => {
          const address = addressOf(cluster, namespace, needed);
          return { needed, cluster, namespace, workload, address };
        }),
      ),
  );
}

/** By address: the desired objects, and Secrets that Services have created. */
function wantedObjects(inventory: ResourceInventory): Map<string, Answer> {
  const wanted = new Map<string, Answer>();
  for (const { cluster, namespace, desired } of inventory) {
    for (const resource of desired.values()) {
      if (resource.kind === "Secret" || resource.kind === "ConfigMap") {
        wanted.set(addressOf(cluster, namespace, resource), { body: resource.body });
      }
      const promised = resource.kind === "Service" ? servingCertificates.map((key) => resource.annotation(key)) : [];
      for (const name of promised) {
        const address = addressOf(cluster, namespace, { kind: "Secret", name: name ?? "" });
        if (!wanted.has(address)) wanted.set(address, "promised");
      }
    }
  }
  return wanted;
}

async function readObject({ needed, namespace }: Need, client: KubeClient, signal: AbortSignal): Promise<Answer> {
  const { kind, name } = needed;
  try {
    const body = await client.find({ apiVersion: "v1", kind, namespace, name }, signal);
    return body ? { body } : "missing";
  } catch (error) {
    signal.throwIfAborted();
    return { error };
  }
}

function addressOf(
  cluster: string,
  namespace: string,
  { kind, name }: { readonly kind: string; readonly name: string },
): string {
  return JSON.stringify([cluster, namespace, kind, name]);
}

function hasKey(holder: unknown, key: string): boolean {
  return ["data", "stringData", "binaryData"].some((map) => valueAt(holder, [map, key]) !== undefined);
}

/** A Secret or ConfigMap that a pod cannot do without. */
interface NeededObject {
  readonly kind: "Secret" | "ConfigMap";
  readonly name: string;
  readonly key?: string | undefined;
}

const podSpecs = [
  ["spec", "template", "spec"],
  ["spec", "jobTemplate", "spec", "template", "spec"],
];

/** What the pods of a workload need to start, without what they may lack. */
function neededObjects(workload: unknown): NeededObject[] {
  const all: NeededObject[] = [];
  for (const path of podSpecs) {
    const spec = valueAt(workload, path);
    for (const volume of listAt(spec, "volumes")) {
      addVolume(volume, all);
      for (const source of listAt(valueAt(volume, ["projected"]), "sources")) addVolume(source, all);
    }
    for (const container of [...listAt(spec, "initContainers"), ...listAt(spec, "containers")]) {
      for (const source of listAt(container, "envFrom")) addBoth(source, "Ref", all);
      for (const variable of listAt(container, "env")) addBoth(valueAt(variable, ["valueFrom"]), "KeyRef", all);
    }
  }
  return all;
}

function addBoth(source: unknown, suffix: string, all: NeededObject[]): void {
  add("Secret", valueAt(source, [`secret${suffix}`]), all);
  add("ConfigMap", valueAt(source, [`configMap${suffix}`]), all);
}

function addVolume(source: unknown, all: NeededObject[]): void {
  for (const [kind, field] of [
    ["Secret", "secret"],
    ["ConfigMap", "configMap"],
  ] as const) {
    const reference = valueAt(source, [field]);
    const items = listAt(reference, "items");
    if (items.length === 0) add(kind, reference, all);
    for (const item of items) add(kind, reference, all, textAt(item, "key"));
  }
}

function add(
  kind: NeededObject["kind"],
  reference: unknown,
  all: NeededObject[],
  key = textAt(reference, "key"),
): void {
  const name = textAt(reference, "secretName") ?? textAt(reference, "name");
  if (name !== undefined && valueAt(reference, ["optional"]) !== true) all.push({ kind, name, key });
}

function textAt(value: unknown, key: string): string | undefined {
  const found = valueAt(value, [key]);
  return typeof found === "string" ? found : undefined;
}

function listAt(value: unknown, key: string): readonly unknown[] {
  const found = valueAt(value, [key]);
  return Array.isArray(found) ? found : [];
}
