import { canonicalJson } from "../object/canonical-json.ts";
import { type Exact, type ExactMap, isExactMap, mapAt, WholeFloat } from "../object/exact.ts";

/** The key of an item; `undefined` if it has none. */
export type KeyOfItem = (item: Exact) => string | undefined;

/**
 * The merge keys of the API server, by the name of the list: others may add items of their own to these lists.
 * Lists that are not named here belong to their owner as a whole.
 */
const keysOfLists: ReadonlyMap<string, KeyOfItem> = new Map([
  ["containers", byField("name")],
  ["initContainers", byField("name")],
  ["ephemeralContainers", byField("name")],
  ["env", byField("name")],
  ["volumes", byField("name")],
  ["imagePullSecrets", byField("name")],
  ["volumeMounts", byField("mountPath")],
  ["volumeDevices", byField("devicePath")],
  ["hostAliases", byField("ip")],
  ["topologySpreadConstraints", byFields((item) => [item["topologyKey"], item["whenUnsatisfiable"]])],
  ["resourceClaims", byField("name")],
  ["ownerReferences", byField("uid")],
  ["conditions", byField("type")],
  ["secrets", byField("name")],
  ["volumeClaimTemplates", byFields((item) => [mapAt(item, "metadata")["name"]])],
  // Of containers and of Services: both may leave out that it is TCP.
  ["ports", byFields((item) => [item["containerPort"] ?? item["port"], item["protocol"] ?? "TCP"])],
  // A list of texts.
  ["finalizers", keyText],
]);

/** How the items of a list are known; `undefined` if it is compared as a whole. */
export function keyOfItems(list: string): KeyOfItem | undefined {
  return keysOfLists.get(list);
}

/**
 * How people know an item of such a list: `SHARDS` in `env`, `8080/TCP` in `ports`. `undefined` if only its place tells it from the
 * others.
 */
export function labelOfItem(list: string, items: readonly Exact[], index: number): string | undefined {
  const keyOf = keyOfItems(list);
  const key = keyOf?.(items[index] ?? null);
  if (key === undefined || items.filter((item) => keyOf?.(item) === key).length !== 1) return undefined;
  const parts = key.split("\n");
  if (parts.includes(noKey)) return undefined;
  const label = parts.map((part) => part.replace("\0", "")).join("/");
  // A number would be taken for a place, and other characters would end the path.
  return /^[\w./:-]+$/.test(label) && !/^\d+$/.test(label) ? label : JSON.stringify(label);
}

function byField(field: string): KeyOfItem {
  return (item) => (isExactMap(item) ? keyText(item[field]) : undefined);
}

function byFields(fieldsOf: (item: ExactMap) => readonly (Exact | undefined)[]): KeyOfItem {
  return (item) => (isExactMap(item) ? fieldsOf(item).map(keyText).join("\n") : undefined);
}

const noKey = "\0null";

/** Texts as they are, which nearly all keys are; the rest so that none is taken for a text. */
function keyText(value: Exact | undefined): string {
  if (typeof value === "string") return value;
  return `\0${value instanceof WholeFloat ? value.value : canonicalJson(value ?? null)}`;
}
