import { isJsonObject } from "#base";
import { type GoObject, isGoObject } from "#golang";
import { type SchemaFailure, quotedList, singleQuoted } from "./schema-failure.ts";
import { type KeywordCheck, type KeywordContext, type Schema, SchemaValidation } from "./schema.ts";
import { grouped } from "./scalar-keywords.ts";

type ObjectCheck = (validation: SchemaValidation, value: GoObject) => void;

/** The keywords for objects. */
export function objectChecks(context: KeywordContext): KeywordCheck[] {
  const checks = [
    sizeCheck(context),
    requiredCheck(context),
    dependenciesCheck(context),
    propertiesCheck(context),
    context.draft >= 6 ? namesCheck(context) : undefined,
    context.draft >= 2019 ? dependentCheck(context) : undefined,
  ].filter((check) => check !== undefined);
  return checks.map((check) => (validation) => {
    if (isGoObject(validation.value)) check(validation, validation.value);
  });
}

function sizeCheck({ count }: KeywordContext): ObjectCheck | undefined {
  const [least, most] = [count("minProperties"), count("maxProperties")];
  if (least === undefined && most === undefined) return undefined;
  return (validation, value) => {
    const size = Object.keys(value).length;
    if (least !== undefined && size < least)
      validation.fail(`minProperties: got ${grouped(size)}, want ${grouped(least)}`);
    if (most !== undefined && size > most)
      validation.fail(`maxProperties: got ${grouped(size)}, want ${grouped(most)}`);
  };
}

function requiredCheck({ texts }: KeywordContext): ObjectCheck | undefined {
  const required = texts("required");
  return (
    required &&
    ((validation, value) => {
      const missing = missingIn(value, required);
      if (missing.length === 1) validation.fail(`missing property ${quotedList(missing)}`);
      else if (missing.length > 1) validation.fail(`missing properties ${quotedList(missing)}`);
    })
  );
}

function missingIn(value: GoObject, names: readonly string[]): string[] {
  return names.filter((name) => !Object.hasOwn(value, name));
}

function dependenciesCheck({ object, schemaMap }: KeywordContext): ObjectCheck | undefined {
  const { dependencies } = object;
  if (!isJsonObject(dependencies)) return undefined;
  const schemas = schemaMap("dependencies");
  const names = Object.entries(dependencies).flatMap(([name, list]) =>
    Array.isArray(list) ? [[name, list] as const] : [],
  );
  return (validation, value) => {
    for (const [name, required] of names) failMissing(validation, value, name, required);
    addDependent(validation, value, schemas);
  };
}

function dependentCheck({ object, schemaMap }: KeywordContext): ObjectCheck | undefined {
  const { dependentRequired } = object;
  const schemas = schemaMap("dependentSchemas");
  const names = isJsonObject(dependentRequired) ? Object.entries(dependentRequired) : [];
  if (!schemas && names.length === 0) return undefined;
  return (validation, value) => {
    addDependent(validation, value, schemas);
    for (const [name, required] of names) if (Array.isArray(required)) failMissing(validation, value, name, required);
  };
}

function addDependent(
  validation: SchemaValidation,
  value: GoObject,
  schemas: ReadonlyMap<string, Schema> | undefined,
): void {
  for (const [name, schema] of schemas ?? []) if (Object.hasOwn(value, name)) validation.add(validation.self(schema));
}

function failMissing(validation: SchemaValidation, value: GoObject, name: string, required: readonly string[]): void {
  const missing = Object.hasOwn(value, name) ? missingIn(value, required) : [];
  if (missing.length > 0)
    validation.fail(`properties ${quotedList(missing)} required, if ${singleQuoted(name)} exists`);
}

function propertiesCheck({ object, schema, schemaMap, regexp }: KeywordContext): ObjectCheck | undefined {
  const properties = schemaMap("properties");
  const patterns = [...(schemaMap("patternProperties") ?? [])].map(
    ([pattern, pattern_schema]) => [regexp(pattern, "patternProperties"), pattern_schema] as const,
  );
  const additional = object["additionalProperties"];
  const others = typeof additional === "boolean" ? undefined : schema("additionalProperties");
  if (!properties && patterns.length === 0 && additional === undefined) return undefined;
  return (validation, value) => {
    const refused: string[] = [];
    validation.budget.step(Object.keys(value).length);
    for (const [name, item] of Object.entries(value)) {
      const found = properties?.get(name);
      const schemas = [
        ...(found ? [found] : []),
        ...patterns.filter(([test]) => test(name, validation.budget)).map(([, each]) => each),
      ];
      for (const each of schemas) validation.add(validation.part(each, item, name));
      if (schemas.length === 0 && additional !== undefined) {
        if (others) validation.add(validation.part(others, item, name));
        else if (additional === false) refused.push(name);
      }
      if (schemas.length > 0 || additional !== undefined) validation.unevaluated.properties?.delete(name);
    }
    if (refused.length > 0) validation.fail(`additional properties ${quotedList(refused)} not allowed`);
  };
}

function namesCheck({ schema }: KeywordContext): ObjectCheck | undefined {
  const names = schema("propertyNames");
  return (
    names &&
    ((validation, value) => {
      for (const name of Object.keys(value)) {
        const failure = new SchemaValidation(names, name, [], validation.budget).run();
        if (failure) validation.fail(`invalid propertyName ${singleQuoted(name)}`, causesOf(failure));
      }
    })
  );
}

function causesOf(failure: SchemaFailure): readonly SchemaFailure[] {
  return failure.kind === "group" ? (failure.causes ?? []) : [failure];
}
