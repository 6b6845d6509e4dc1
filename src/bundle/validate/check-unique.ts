import { formatFieldPath, type JsonObject, type JsonValue } from "#base";
import type { Bundle, Datafile } from "../bundle.ts";
import { type ContextItem, contextValues, type DatafileFacts, type UniqueValue } from "../facts/datafile-facts.ts";
import type { DescribedTypes } from "../facts/described-type.ts";
import { integrationSchema } from "../source/legacy-forms.ts";
import { type BundleFinding, describeValue, listWords } from "./bundle-finding.ts";

/** Finds equal values of unique fields. */
export function checkUnique(facts: ReadonlyMap<Datafile, DatafileFacts>): BundleFinding[] {
  const holders = new Map<string, { readonly datafile: Datafile; readonly unique: UniqueValue }[]>();
  for (const [datafile, { unique: values }] of facts) {
    for (const unique of values) {
      const key = `${unique.type}\n${unique.field}\n${JSON.stringify(unique.value)}`;
      const others = holders.get(key);
      if (others) others.push({ datafile, unique });
      else holders.set(key, [{ datafile, unique }]);
    }
  }
  return [...holders.values()].flatMap((found) => {
    const [first, ...others] = found.toSorted((one, other) => (one.datafile.path < other.datafile.path ? -1 : 1));
    if (!first || others.length === 0) return [];
    const { datafile, unique } = first;
    const where = others.map((one) => one.datafile.path);
    const what = `${unique.field} must be unique, but ${describeValue(unique.value)} is also in ${listWords(where)}`;
    const about = { part: "data", path: datafile.path, kind: "UNIQUE", reason: "DUPLICATE_UNIQUE_FIELD" } as const;
    return [{ ...about, what, next: "use different values", at: unique.at, alsoIn: where }];
  });
}

/**
 * Finds integrations of one name, also where the GraphQL description does not call the name unique: their objects would have the
 * same names, and one would delete what the other made.
 */
export function checkIntegrationNames(
  { datafiles }: Bundle,
  facts: ReadonlyMap<Datafile, DatafileFacts>,
): BundleFinding[] {
  const integrations = [...datafiles.values()].filter(({ schema }) => schema === integrationSchema);
  const isChecked = integrations.some((file) =>
    facts.get(file)?.unique.some(({ at }) => at.length === 1 && at[0] === "name"),
  );
  if (isChecked) return [];
  const names = integrations.flatMap((file): [Datafile, DatafileFacts][] => {
    const { name } = file.content;
    if (typeof name !== "string") return [];
    return [[file, { ...noFacts, unique: [{ at: ["name"], type: integrationSchema, field: "name", value: name }] }]];
  });
  return checkUnique(new Map(names));
}

const noFacts: DatafileFacts = { references: [], resources: [], unique: [], lists: [] };

/** Finds items of one list with equal context-unique fields. */
export function checkContextUnique(
  { path }: Datafile,
  { lists }: DatafileFacts,
  bundle: Bundle,
  types: DescribedTypes,
): BundleFinding[] {
  return lists.flatMap(({ at, items }) => {
    const byIdentity = new Map<string, { fields: readonly string[]; indices: number[] }>();
    for (const item of items) {
      const known = identify(item, bundle, types);
      if (!known) continue;
      const key = `${known.fields.join(",")}\n${JSON.stringify(known.values)}`;
      const same = byIdentity.get(key);
      if (same) same.indices.push(item.index);
      else byIdentity.set(key, { fields: known.fields, indices: [item.index] });
    }
    return [...byIdentity.values()].flatMap(({ fields, indices }): BundleFinding[] => {
      const [first, second] = indices;
      if (first === undefined || second === undefined) return [];
      const list = indices.map((index) => formatFieldPath([...at, index]));
      const what = `${listWords(list).replace(/ or ([^ ]*)$/, " and $1")} have the same ${fields.join(", ")}`;
      const about = { part: "data", path, kind: "UNIQUE", reason: "DUPLICATE_CONTEXT_UNIQUE_FIELD" } as const;
      return [{ ...about, what, next: "make them differ, or delete one", at: [...at, second] }];
    });
  });
}

interface Identity {
  readonly fields: readonly string[];
  readonly values: JsonValue;
}

function identify(item: ContextItem, bundle: Bundle, types: DescribedTypes): Identity | undefined {
  if (!("target" in item)) return item;
  return identifyDatafile(bundle.datafiles.get(item.target), types);
}

/** The context-unique fields of a data file that a list refers to. */
export function identifyDatafile(
  datafile: Datafile | undefined,
  types: DescribedTypes,
): { readonly fields: readonly string[]; readonly values: JsonObject } | undefined {
  const type = datafile?.schema === undefined ? undefined : types.ofSchema(datafile.schema);
  if (!datafile || !type) return undefined;
  const values = contextValues(datafile.content, type.contextUnique);
  return values && { fields: type.contextUnique, values };
}
