import { InputError } from "#base";
import type { KubeObject } from "#kube";
import { jsonObject } from "../kinds/json-object.ts";
import type { Var } from "../kinds/shared-spec.ts";
import { resolved } from "./merge-sources.ts";
import type { ResolvedMap, ResolvedValue } from "./resolved.ts";
import { textOf } from "./text-of.ts";
import { findValue, parseValuePath } from "./value-path/index.ts";

const defaultPath = "metadata.name";

/** A var and the object that it names. */
export interface FoundVar {
  readonly item: Var;
  readonly object: KubeObject;
  /** For people, such as `vars[0]`. */
  readonly field: string;
}

/**
 * A field that is not there is the empty text; or, where `missing` says so, no value at all, so that a required result that
 * depends on it is still waited for. Of two vars with one name, the last wins.
 */
export function varValues(vars: readonly FoundVar[], missing: "empty" | "absent", owner: string): ResolvedMap {
  const values = new Map<string, ResolvedValue>();
  for (const { item, object, field } of vars) {
    const { value: text = missing === "empty" ? "" : undefined, isSecret } = readVar(
      item,
      object,
      `${owner} spec.${field}`,
    );
    if (text === undefined) values.delete(item.name);
    else values.set(item.name, resolved({ value: text, isSecret }, `${field} ${object.kind} ${object.metadata.name}`));
  }
  return values;
}

function readVar({ fieldref }: Var, object: KubeObject, where: string) {
  const path = fieldref?.fieldPath || defaultPath;
  try {
    const value = textOf(findValue(jsonObject(object), parseValuePath(path)));
    return { value, isSecret: object.kind === "Secret" && path !== defaultPath };
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const { next = "correct the path" } = error;
    throw new InputError(`${error.where ?? "field path"}: ${error.what}`, {
      where: `${where}.fieldref`,
      next,
      cause: error,
    });
  }
}
