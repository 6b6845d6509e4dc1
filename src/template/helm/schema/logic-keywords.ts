import { isGoObject } from "#golang";
import { type SchemaFailure, someFailure } from "./schema-failure.ts";
import type { KeywordCheck, KeywordContext, Schema, SchemaValidation } from "./schema.ts";

/** `$ref`, which is checked first. */
export function referenceCheck({ reference }: KeywordContext): KeywordCheck | undefined {
  const target = reference("$ref");
  return target && ((validation) => validation.add(refer(validation, target)));
}

function refer(validation: SchemaValidation, schema: Schema): SchemaFailure | undefined {
  const failure = validation.self(schema);
  if (!failure || validation.isQuick) return failure && someFailure;
  const causes = failure.kind === "group" ? (failure.causes ?? []) : [failure];
  return { path: validation.path, text: "validation failed", kind: "reference", causes };
}

/** The keywords that combine schemas for the same value, and the `unevaluated…` ones, which come last. */
export function logicChecks(context: KeywordContext): KeywordCheck[] {
  const { draft } = context;
  return [
    draft === 2019 || draft === 2020 ? recursiveCheck(context) : undefined,
    draft >= 2020 ? dynamicCheck(context) : undefined,
    notCheck(context),
    allCheck(context),
    anyCheck(context),
    oneCheck(context),
    draft >= 7 ? conditionCheck(context) : undefined,
    draft >= 2019 ? leftoverCheck(context) : undefined,
  ].filter((check) => check !== undefined);
}

/** The result of `pick` for the outermost enclosing schema that has one. */
function outermost(validation: SchemaValidation, pick: (schema: Schema) => Schema | undefined): Schema | undefined {
  let found: Schema | undefined;
  for (let at: SchemaValidation | undefined = validation; at; at = at.parent) found = pick(at.schema) ?? found;
  return found;
}

function recursiveTarget(schema: Schema): Schema | undefined {
  return schema.resource.isRecursiveAnchor ? schema : undefined;
}

/** `$recursiveRef` refers to the outermost schema with a `$recursiveAnchor`. */
function recursiveCheck({ reference }: KeywordContext): KeywordCheck | undefined {
  const target = reference("$recursiveRef");
  return (
    target &&
    ((validation) => {
      const found = target.isRecursiveAnchor ? outermost(validation, recursiveTarget) : undefined;
      validation.add(refer(validation, found ?? target));
    })
  );
}

/** `$dynamicRef` refers to the outermost schema with that dynamic anchor, if its first target has it, too. */
function dynamicCheck({ object, reference }: KeywordContext): KeywordCheck | undefined {
  const target = reference("$dynamicRef");
  const { $dynamicRef: text } = object;
  const [, fragment = ""] = typeof text === "string" ? text.split("#") : [];
  return (
    target &&
    ((validation) => {
      const isDynamic = fragment !== "" && target.dynamicAnchor === fragment;
      const found = isDynamic
        ? outermost(validation, ({ resource }) => resource.dynamicAnchors.get(fragment))
        : undefined;
      validation.add(refer(validation, found ?? target));
    })
  );
}

function notCheck({ schema }: KeywordContext): KeywordCheck | undefined {
  const not = schema("not");
  return (
    not &&
    ((validation) => {
      if (!validation.self(not, true)) validation.fail("'not' failed");
    })
  );
}

function allCheck({ schemas }: KeywordContext): KeywordCheck | undefined {
  const all = schemas("allOf");
  return (
    all &&
    ((validation) => {
      const failures = all.map((schema) => validation.self(schema)).filter((failure) => failure !== undefined);
      if (failures.length > 0) validation.fail("'allOf' failed", failures);
    })
  );
}

function anyCheck({ schemas }: KeywordContext): KeywordCheck | undefined {
  const any = schemas("anyOf");
  return (
    any &&
    ((validation) => {
      const failures: SchemaFailure[] = [];
      for (const schema of any) {
        const failure = validation.self(schema);
        if (failure) failures.push(failure);
        // The other schemas may evaluate what is still unevaluated.
        else if (validation.isEvaluated) return;
      }
      if (failures.length === any.length) validation.fail("'anyOf' failed", failures);
    })
  );
}

function oneCheck({ schemas }: KeywordContext): KeywordCheck | undefined {
  const one = schemas("oneOf");
  return (
    one &&
    ((validation) => {
      const failures: SchemaFailure[] = [];
      let matched: number | undefined;
      for (const [index, schema] of one.entries()) {
        const failure = validation.self(schema, matched !== undefined);
        if (failure) failures.push(failure);
        else if (matched === undefined) matched = index;
        else return validation.fail(`'oneOf' failed, subschemas ${matched}, ${index} matched`);
      }
      if (matched === undefined) validation.fail("'oneOf' failed, none matched", failures);
    })
  );
}

function conditionCheck({ schema }: KeywordContext): KeywordCheck | undefined {
  const condition = schema("if");
  const [then, otherwise] = [schema("then"), schema("else")];
  return (
    condition &&
    ((validation) => {
      const next = validation.self(condition, true) ? otherwise : then;
      if (next) validation.add(validation.self(next));
    })
  );
}

function leftoverCheck({ schema }: KeywordContext): KeywordCheck | undefined {
  const [properties, items] = [schema("unevaluatedProperties"), schema("unevaluatedItems")];
  if (!properties && !items) return undefined;
  return (validation) => {
    const { value, unevaluated } = validation;
    if (properties && isGoObject(value)) {
      for (const name of unevaluated.properties ?? []) validation.add(validation.part(properties, value[name], name));
      unevaluated.properties = undefined;
    }
    if (items && Array.isArray(value)) {
      for (const index of unevaluated.items ?? []) validation.add(validation.part(items, value[index], String(index)));
      unevaluated.items = undefined;
    }
  };
}
