import { type Exact, type ExactObject, isExactObject, mapAt } from "../resource/exact.ts";

/**
 * By what the API server tells the items of a list apart, by the name of the list: others may add items of their own to these.
 * Lists that are not named here belong to their owner as a whole.
 */
const keysOfLists: Readonly<Record<string, (item: ExactObject) => readonly Exact[]>> = {
  containers: byFields("name"),
  initContainers: byFields("name"),
  ephemeralContainers: byFields("name"),
  env: byFields("name"),
  volumes: byFields("name"),
  imagePullSecrets: byFields("name"),
  volumeMounts: byFields("mountPath"),
  volumeDevices: byFields("devicePath"),
  hostAliases: byFields("ip"),
  topologySpreadConstraints: byFields("topologyKey", "whenUnsatisfiable"),
  resourceClaims: byFields("name"),
  ownerReferences: byFields("uid"),
  conditions: byFields("type"),
  secrets: byFields("name"),
  volumeClaimTemplates: (item) => [mapAt(item, "metadata")["name"] ?? null],
  // Of containers and of Services: both may leave out that it is TCP.
  ports: (item) => [item["containerPort"] ?? item["port"] ?? null, item["protocol"] ?? "TCP"],
};

/** Lists of texts to which others may add. */
const sets = new Set(["finalizers"]);

function byFields(...fields: readonly string[]): (item: ExactObject) => readonly Exact[] {
  return (item) => fields.map((field) => item[field] ?? null);
}

/** The key of each item; `undefined` if the list is compared as a whole. */
export function mergeKeys(list: string | undefined, items: readonly Exact[]): readonly string[] | undefined {
  if (list === undefined) return undefined;
  if (sets.has(list)) return items.map((item) => JSON.stringify(item));
  const keyOf = Object.hasOwn(keysOfLists, list) ? keysOfLists[list] : undefined;
  if (!keyOf) return undefined;
  const keys: string[] = [];
  for (const item of items) {
    if (!isExactObject(item)) return undefined;
    keys.push(JSON.stringify(keyOf(item)));
  }
  return keys;
}
