import type { z } from "zod";
import { withMark } from "./marks.ts";

/** A list of unique scalars. Each field manager owns the items it applied. */
export function listSet<Schema extends z.ZodType<readonly (string | number | boolean)[] | undefined>>(
  schema: Schema,
): Schema {
  return withMark(schema, { schema: { "x-kubernetes-list-type": "set" } }, (items) => {
    const list: readonly (string | number | boolean)[] = items;
    return list.flatMap((item, index) =>
      list.indexOf(item) === index
        ? []
        : [{ message: `the list contains ${JSON.stringify(item)} twice`, path: [index] }],
    );
  });
}

/** A list of objects that are unique by these fields. Each field manager owns the items it applied. */
export function listMap<Item extends object, Schema extends z.ZodType<readonly Item[] | undefined>>(
  schema: Schema & z.ZodType<readonly Item[] | undefined>,
  keys: readonly [keyof Item & string, ...(keyof Item & string)[]],
): Schema {
  const extension = { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys } as const;
  return withMark<Schema>(schema, { schema: extension }, (items) => {
    const seen = new Set<string>();
    return items.flatMap((item: Item, index: number) => {
      const key = JSON.stringify(keys.map((name) => item[name]));
      if (!seen.has(key)) {
        seen.add(key);
        return [];
      }
      return [{ message: `the list has two items with the same ${keys.join(" and ")}`, path: [index] }];
    });
  });
}

/** A list or a map that has one owner and is replaced as a whole. */
export function atomicList<Schema extends z.ZodType<readonly unknown[] | undefined>>(schema: Schema): Schema {
  return withMark(schema, { schema: { "x-kubernetes-list-type": "atomic" } });
}

export function atomicMap<Schema extends z.ZodType<object | undefined>>(schema: Schema): Schema {
  return withMark(schema, { schema: { "x-kubernetes-map-type": "atomic" } });
}

/** Limits the number of entries of a map, which zod cannot express. */
export function sized<Schema extends z.ZodType<object | undefined>>(
  schema: Schema,
  { min, max }: { readonly min?: number; readonly max?: number },
): Schema {
  const bounds = {
    ...(min === undefined ? {} : { minProperties: min }),
    ...(max === undefined ? {} : { maxProperties: max }),
  };
  return withMark(schema, { schema: bounds }, (value) => {
    const count = Object.keys(value).length;
    if (count < (min ?? 0)) return [{ message: `expected at least ${min} entries, got ${count}` }];
    return count > (max ?? Infinity) ? [{ message: `expected at most ${max} entries, got ${count}` }] : [];
  });
}
