import type { FieldPath } from "#base";
import { type Exact, isExactList, isExactMap } from "../object/exact.ts";

/** What tests do to live objects: the same value with another one at `path`; `undefined` removes it. */
export function edited(value: Exact, path: FieldPath, change: Exact | undefined): Exact {
  const [key, ...rest] = path;
  if (key === undefined) return change ?? null;
  if (typeof key === "number") {
    const items = isExactList(value) ? value : [];
    const item = rest.length === 0 ? change : edited(items[key] ?? null, rest, change);
    return item === undefined ? items.toSpliced(key, 1) : items.with(key, item);
  }
  const fields = isExactMap(value) ? value : {};
  const { [key]: field, ...others } = fields;
  const next = rest.length === 0 ? change : edited(field ?? {}, rest, change);
  return next === undefined ? others : { ...fields, [key]: next };
}
