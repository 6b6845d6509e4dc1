import { valueAt } from "#base";

/** A Secret or ConfigMap that a pod cannot do without. */
export interface NeededObject {
  readonly kind: "Secret" | "ConfigMap";
  readonly name: string;
  readonly key?: string | undefined;
}

const podSpecs = [
  ["spec", "template", "spec"],
  ["spec", "jobTemplate", "spec", "template", "spec"],
];

/** What the pods of a workload need to start, without what they may lack. */
export function neededObjects(workload: unknown): NeededObject[] {
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
