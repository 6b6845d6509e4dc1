import { canonicalJson } from "../object/canonical-json.ts";
import { type Exact, type ExactMap, isExactMap, mapAt, WholeFloat } from "../object/exact.ts";

/** What an item is known by; `undefined` if it cannot be told from others. */
export type KeyOfItem = (item: Exact) => string | undefined;

/**
 * By what the API server tells the items of a list apart, by the name of the list: others may add items of their own to these.
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

function byField(field: string): KeyOfItem {
  return (item) => (isExactMap(item) ? keyText(item[field]) : undefined);
}

function byFields(fieldsOf: (item: ExactMap) => readonly (Exact | undefined)[]): KeyOfItem {
  return (item) => (isExactMap(item) ? fieldsOf(item).map(keyText).join("\n") : undefined);
}

/** Texts as they are, which nearly all keys are; the rest so that none is taken for a text. */
function keyText(value: Exact | undefined): string {
  if (typeof value === "string") return value;
  return `\0${value instanceof WholeFloat ? value.value : canonicalJson(value ?? null)}`;
}
