import { isJsonObject, type JsonObject } from "#base";
import { type Action, ManagedObject, movedFromAnnotation, type PlanOptions, ResourceInventory } from "#inventory";
import { managerIdentity } from "../manager-defaults.ts";

export const planning: PlanOptions = { ...managerIdentity, deletionsConfirmed: true };

/** As if the action changed a field that cannot be changed. */
export function asReplacement(action: Action): Action {
  return { ...action, action: "replace" };
}

/** A live object: `cluster/namespace name`, or `cluster/namespace name@integration` where the two differ. */
export type LiveSample =
  | string
  | { readonly target: string; readonly movedFrom?: string; readonly owner?: string; readonly value?: string };

interface Address {
  readonly cluster: string;
  readonly namespace: string;
  readonly name: string;
  readonly attribution: string | undefined;
}

function addressOf(text: string): Address {
  const [, cluster = "", namespace = "", name = "", integration = name] =
    /^([^/]+)\/(\S+) ([^@]+)(?:@(.*))?$/.exec(text) ?? [];
  return { cluster, namespace, name, attribution: integration === "" ? undefined : integration };
}

function deployment(
  { name, attribution }: Address,
  value: string,
  owner: string = managerIdentity.integration,
): ManagedObject {
  const body = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name }, spec: { field: value } };
  return new ManagedObject({ ...managerIdentity, integration: owner, body, attribution });
}

/** Deployments, desired and live, for tests of the order of a plan. */
export function sampleInventory(given: {
  readonly wanted: readonly string[];
  readonly live: readonly LiveSample[];
}): ResourceInventory {
  const inventory = new ResourceInventory();
  const live = given.live.map((each) => (typeof each === "string" ? { target: each } : each));
  for (const text of [...live.map(({ target }) => target), ...given.wanted]) {
    const { cluster, namespace } = addressOf(text);
    inventory.initialize(cluster, namespace, "Deployment");
  }
  for (const text of given.wanted) {
    const address = addressOf(text);
    inventory.addDesired({ ...address, kind: "Deployment", value: deployment(address, "new") });
  }
  for (const { target, movedFrom, owner, value = "new" } of live) {
    const { cluster, namespace, name } = addressOf(target);
    const body = deployment(addressOf(target), value, owner).annotate(new Date(0));
    const metadata = { ...metadataOf(body), uid: `uid-${name}`, resourceVersion: "1" };
    const annotations = {
      ...metadataOf(metadata, "annotations"),
      ...(movedFrom ? { [movedFromAnnotation]: movedFrom } : {}),
    };
    const found = { ...body, metadata: { ...metadata, annotations } };
    const object = new ManagedObject({ ...managerIdentity, body: found, skipValidation: true });
    inventory.addCurrent(cluster, namespace, "Deployment", name, object);
  }
  return inventory;
}

function metadataOf(body: object, key = "metadata"): JsonObject {
  const found: unknown = Object.entries(body).find(([name]) => name === key)?.[1];
  return isJson(found) ? found : {};
}

function isJson(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && isJsonObject(JSON.parse(JSON.stringify(value)));
}
