import { isJsonList, isJsonObject, type JsonList, type JsonObject, type JsonValue } from "#base";
import { type Chart, isTemplate, type ChartManifest } from "#template";
import { attributeBy, renderManifests } from "./render-targets.ts";
import type { NamespaceTargets } from "./select-targets.ts";

/** What a chart renders for each of these namespaces. */
export type RenderedAhead = ReadonlyMap<NamespaceTargets, readonly ChartManifest[]>;

/**
 * Renders many namespaces at once, if the chart says that its entries are independent of each other: for two hundred namespaces
 * that takes half the time of two hundred renderings (docs/decisions/0033). A namespace is left out if it is not clear what belongs
 * to it, or if anything fails: rendered alone, it says what is wrong.
 */
export function renderAhead(groups: readonly NamespaceTargets[], chart: Chart): RenderedAhead {
  if (chart.metadata.annotations?.get("tenon.dev/entries") !== "independent") return new Map();
  const several = batchesOf(groups).filter(({ length }) => length > 1);
  return new Map(several.flatMap((batch) => renderBatch(batch, chart)));
}

/** No integration is in one batch twice. */
function batchesOf(groups: readonly NamespaceTargets[]): NamespaceTargets[][] {
  const batches: { readonly names: Set<string>; readonly groups: NamespaceTargets[] }[] = [];
  for (const group of groups) {
    const names = group.sharded.map(({ target }) => target.integration);
    let batch = batches.find((one) => names.every((name) => !one.names.has(name)));
    if (!batch) batches.push((batch = { names: new Set(), groups: [] }));
    for (const name of names) batch.names.add(name);
    batch.groups.push(group);
  }
  return batches.map((batch) => batch.groups);
}

/** A Template, and what is in it. */
interface Rendering {
  readonly manifest: ChartManifest;
  readonly template: JsonObject;
  readonly objects: JsonList;
  readonly parameters: JsonList;
}

function renderBatch(
  batch: readonly NamespaceTargets[],
  chart: Chart,
): (readonly [NamespaceTargets, readonly ChartManifest[]])[] {
  const all = renderTemplate(batch, chart);
  const shared = all && sharedParameters(chart);
  if (!all || !shared) return [];
  const sharded = batch.flatMap((group) => group.sharded);
  const attribute = attributeBy(sharded);
  const owners = new Map(sharded.map(({ target }) => [parameterPrefix(target.integration), target.integration]));
  const objects = new Parts(all.objects, (object) => (isJsonObject(object) ? attribute(object) : undefined));
  const parameters = new Parts(all.parameters, (parameter) => ownerOf(nameOf(parameter), shared, owners));
  if (parameters.isUnclear) return [];
  return batch.map((group) => {
    const names = group.sharded.map(({ target }) => target.integration);
    const object = { ...all.template, objects: objects.of(names), parameters: parameters.of(names) };
    return [group, [{ ...all.manifest, object }]];
  });
}

const unclear = Symbol("of none, or of several");

/** Items of a list that belong to one integration each, or to all. */
class Parts {
  readonly #byOwner: ReadonlyMap<string | undefined | typeof unclear, readonly Indexed[]>;

  constructor(items: JsonList, ownerOfItem: (item: JsonValue) => string | undefined | typeof unclear) {
    const indexed = items.map((item, index) => ({ item, index }));
    this.#byOwner = Map.groupBy(indexed, ({ item }) => ownerOfItem(item));
  }

  get isUnclear(): boolean {
    return this.#byOwner.has(unclear);
  }

  /** Those of these integrations and those of all, in the order of the list. */
  of(names: readonly string[]): JsonList {
    return [undefined, ...names]
      .flatMap((name) => this.#byOwner.get(name) ?? [])
      .toSorted((one, other) => one.index - other.index)
      .map(({ item }) => item);
  }
}

interface Indexed {
  readonly item: JsonValue;
  readonly index: number;
}

/** The one Template of a rendering; undefined if it fails, or is more or something else. */
function renderTemplate(batch: readonly NamespaceTargets[], chart: Chart): Rendering | undefined {
  const sharded = batch.flatMap((group) => group.sharded);
  try {
    const manifests = renderManifests({ name: "default" }, sharded, { chart });
    const [manifest] = manifests;
    const template = manifest?.object;
    if (manifests.length !== 1 || !template || !isTemplate(template)) return undefined;
    const { objects, parameters } = template;
    return isJsonList(objects) && isJsonList(parameters) ? { manifest, template, objects, parameters } : undefined;
  } catch {
    return undefined;
  }
}

const sharedNames = new WeakMap<Chart, ReadonlySet<string>>();

/** The parameters that a chart has without any entry. */
function sharedParameters(chart: Chart): ReadonlySet<string> | undefined {
  const known = sharedNames.get(chart) ?? renderTemplate([], chart)?.parameters.map(nameOf);
  if (!known) return undefined;
  const names = new Set(known);
  sharedNames.set(chart, names);
  return names;
}

/** Which integration a parameter is of, by the beginning of its name; undefined for what all share. */
function ownerOf(
  name: string,
  shared: ReadonlySet<string>,
  owners: ReadonlyMap<string, string>,
): string | undefined | typeof unclear {
  if (shared.has(name)) return undefined;
  const found: string[] = [];
  for (let end = name.indexOf("_"); end >= 0; end = name.indexOf("_", end + 1)) {
    const owner = owners.get(name.slice(0, end));
    if (owner !== undefined) found.push(owner);
  }
  const [owner, ...more] = found;
  return owner === undefined || more.length > 0 ? unclear : owner;
}

function parameterPrefix(integration: string): string {
  return integration.toUpperCase().replaceAll("-", "_");
}

function nameOf(parameter: JsonValue): string {
  const name = isJsonObject(parameter) ? parameter["name"] : undefined;
  return typeof name === "string" ? name : "";
}
