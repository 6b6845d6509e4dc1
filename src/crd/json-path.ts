import { InputError } from "#base";
import type { StructuralSchema } from "./structural-schema.ts";

/** A path to a field that does not exist would leave a column or a replica count empty without a word. */
export function checkJsonPath(jsonPath: string, root: StructuralSchema): void {
  const plain = /^(?:\.[A-Za-z_][\w-]*)+/.exec(jsonPath)?.[0];
  if (plain === undefined) throw wrongPath(jsonPath, "it does not start with a dot and a field");
  const [first = "", ...rest] = plain.slice(1).split(".");
  if (first === "metadata") return;
  let schema: StructuralSchema | undefined = root;
  for (const name of [first, ...rest]) {
    if (schema["x-kubernetes-preserve-unknown-fields"] || schema.additionalProperties) return;
    schema = schema.properties?.[name];
    if (!schema) throw wrongPath(jsonPath, `there is no field ${name}`);
  }
}

function wrongPath(jsonPath: string, why: string): InputError {
  return new InputError(why, {
    where: `JSON path ${jsonPath}`,
    next: "write it like .spec.size or .status.ready",
  });
}
