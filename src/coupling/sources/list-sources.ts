import { InputError } from "#base";
import { type PlugData, PlugTemplate } from "#template";
import type { Side } from "../kinds/names.ts";
import { describeObject, namespaceOf, type Pair, sides } from "../kinds/pair.ts";
import type { Var } from "../kinds/shared-spec.ts";
import type { SourceRef } from "./resolved.ts";
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
 * Every object that resolving reads, known before anything is read. So the objects can be read at once, and watched
 * even if one of them is missing.
 */
export function listSources(pair: Pair): SourceRef[] {
  return sides.flatMap((side) => sourcesOf(pair, side, "input"));
}

/** The same for the result phase. */
export function listResultSources(pair: Pair): SourceRef[] {
  return sides.flatMap((side) => sourcesOf(pair, side, "result"));
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
  const data = referenceData(pair);
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
  if (name === "")
    throw new InputError("the name of the object is empty", { where, next: "give name or templateName" });
  return { apiVersion: apiVersionOf(objref), kind: objref.kind, namespace: own, name };
}

function apiVersionOf({ apiVersion = "", group = "", version = "" }: Var["objref"]): string {
  if (apiVersion !== "") return apiVersion;
  return group === "" ? version : `${group}/${version}`;
}
