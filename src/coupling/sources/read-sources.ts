import { InputError } from "#base";
import { describeRef, type KubeObject } from "#kube";
import { type PlugData, PlugTemplate } from "#template";
import { apiVersionOf, describeObject, namespaceOf, type Pair, type Side, sides, type Var } from "../kinds/index.ts";
import { atSide, doneFor } from "./failed-side.ts";
import type { SourceReader, SourceRef } from "./resolved.ts";
import { referenceData } from "./template-data.ts";

type Phase = "input" | "result";

const namedSources = {
  input: [
    ["dataSecretName", "Secret"],
    ["dataConfigMapName", "ConfigMap"],
    ["configSecretName", "Secret"],
    ["configConfigMapName", "ConfigMap"],
  ],
  result: [
    ["resultSecretName", "Secret"],
    ["resultConfigMapName", "ConfigMap"],
  ],
} as const;

/**
 * Every object that resolving reads, known before anything is read, so that the objects can be read at once, and watched even if
 * one of them is missing.
 */
export function listSources(pair: Pair): SourceRef[] {
  return sides.flatMap((side) => doneFor(side, () => sourcesOf(pair, side, "input")));
}

/** The same for the result phase. */
export function listResultSources(pair: Pair): SourceRef[] {
  return sides.flatMap((side) => doneFor(side, () => sourcesOf(pair, side, "result")));
}

function sourcesOf(pair: Pair, side: Side, phase: Phase): SourceRef[] {
  const { spec } = pair[side];
  const namespace = namespaceOf(pair[side]);
  const named = namedSources[phase].flatMap(([field, kind]): SourceRef[] => {
    const name = spec[field];
    if (name === undefined || name === "") return [];
    return [{ apiVersion: "v1", kind, namespace, name, side, field: `spec.${field}` }];
  });
  const listed = phase === "input" ? spec.vars : spec.resultVars;
  const fields = phase === "input" ? "spec.vars" : "spec.resultVars";
  if (!listed) return named;
  const data = referenceData(pair, side);
  const vars = listed.map((item, index): SourceRef => {
    const field = `${fields}[${index}]`;
    const target = targetOf(item, pair[side], field, data);
    return Object.assign(target, { side, field });
  });
  return [...named, ...vars];
}

function targetOf({ objref }: Var, owner: Pair[Side], field: string, data: PlugData) {
  const where = `${describeObject(owner)} ${field}.objref`;
  const render = (template: string | undefined, name: string) =>
    template === undefined ? undefined : new PlugTemplate(template, { name: `${where}.${name}` }).render(data).text;
  const own = namespaceOf(owner);
  const namespace = render(objref.templateNamespace, "templateNamespace") ?? objref.namespace ?? "";
  if (namespace !== "" && namespace !== own) {
    throw new InputError(`var objRef namespace ${namespace} must be ${own}`, {
      where,
      next: "leave the namespace out; a var reads objects of its own namespace",
    });
  }
  const name = render(objref.templateName, "templateName") ?? objref.name ?? "";
  if (name === "") throw new InputError("the name of the object is empty", { where, next: "set name or templateName" });
  return { apiVersion: apiVersionOf(objref), kind: objref.kind, namespace: own, name };
}

/** The objects that an attempt has read. */
export class FoundSources {
  readonly #found: ReadonlyMap<string, KubeObject | undefined>;

  constructor(found: ReadonlyMap<string, KubeObject | undefined>) {
    this.#found = found;
  }

  get(ref: SourceRef): KubeObject | undefined {
    return this.#found.get(keyOf(ref));
  }
}

/** Reads each object once for each side, all at the same time. If several fail, the first in order is thrown. */
export async function readSources(
  refs: readonly SourceRef[],
  reader: (side: Side) => SourceReader,
  signal: AbortSignal,
): Promise<FoundSources> {
  const distinct = new Map(refs.map((ref) => [keyOf(ref), ref]));
  const readings = [...distinct].map(async ([key, ref]) => {
    const { apiVersion, kind, namespace, name } = ref;
    const reading = reader(ref.side).read({ apiVersion, kind, namespace, name }, signal);
    return [key, await reading.catch(atField(ref)).catch(atSide(ref.side))] as const;
  });
  const settled = await Promise.allSettled(readings);
  const failed = settled.find((each) => each.status === "rejected");
  if (failed) throw failed.reason;
  return new FoundSources(new Map(settled.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []))));
}

/** Adds the field to the message. */
function atField({ side, field }: SourceRef): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof InputError)) throw error;
    const { what, where, next } = error;
    throw new InputError(where === undefined ? what : `${where}: ${what}`, {
      where: `${side} ${field}`,
      ...(next === undefined ? {} : { next }),
      cause: error,
    });
  };
}

function keyOf({ side, apiVersion, kind, namespace, name }: SourceRef): string {
  return [side, apiVersion, kind, namespace, name].join("\0");
}

/** Names all sources that do not exist, with the fields that refer to them, and says whose the first one is. */
export function missingObjects(
  pair: Pair,
  refs: readonly SourceRef[],
  found: FoundSources,
): { readonly error: InputError; readonly side: Side } | undefined {
  const [first, ...others] = refs.filter((ref) => found.get(ref) === undefined);
  if (!first) return undefined;
  const more = others.map((ref) => `; ${placeOf(pair, ref)}: ${describeRef(ref)} does not exist`);
  const error = new InputError(`${describeRef(first)} does not exist${more.join("")}`, {
    where: placeOf(pair, first),
    next: others.length > 0 ? "create them, or correct their names" : "create it, or correct its name",
  });
  return { error, side: first.side };
}

function placeOf(pair: Pair, { side, field }: SourceRef): string {
  return `${describeObject(pair[side])} ${field}`;
}
