import { annotation } from "../object/attribution.ts";
import type { ManagedObject } from "../object/managed-object.ts";

/** A setting of `ignoreDifferences`: which objects, and what of them is left as it is. A selector that is absent selects all. */
export interface IgnoredDifference {
  /** Like the other selectors: a text, in which `*` stands for any characters. */
  readonly cluster?: string | undefined;
  readonly namespace?: string | undefined;
  /** The API group; empty for the kinds of the core. */
  readonly group?: string | undefined;
  readonly kind?: string | undefined;
  readonly name?: string | undefined;
  /** JSON pointers, in which `*` stands for each key or item: `/spec/replicas`. */
  readonly paths?: readonly string[] | undefined;
  /** Field managers whose fields are left to them. */
  readonly managers?: readonly string[] | undefined;
}

/** What of one object is left as it is. */
export interface IgnoredFields {
  /** The steps of JSON pointers. */
  readonly paths: readonly (readonly string[])[];
  readonly managers: ReadonlySet<string>;
}

/** Says what of a desired object that exists is left as it is; `undefined` if nothing is. */
export type FindIgnored = (
  target: { readonly cluster: string; readonly namespace: string },
  wanted: ManagedObject,
  current: ManagedObject,
) => IgnoredFields | undefined;

/** Reads the rules once, for all objects of a plan. */
export function findIgnored(rules: readonly IgnoredDifference[] = []): FindIgnored {
  const read = rules.map((rule) => ({
    selects: selectorOf(rule),
    fields: fieldsFrom(rule.paths ?? [], rule.managers ?? []),
  }));
  return ({ cluster, namespace }, wanted, current) => {
    const given = read.flatMap(({ selects, fields }) =>
      selects({ cluster, namespace, object: wanted }) ? fields : [],
    );
    // An annotation that we apply counts as we apply it; another one was added to the object by people.
    const own = wanted.annotation(annotation.ignoreDifferences) ?? current.annotation(annotation.ignoreDifferences);
    if (own !== undefined) given.push(fieldsFromAnnotation(own));
    const [first, ...more] = given;
    return first && more.reduce(uniteIgnored, first);
  };
}

export function uniteIgnored(one: IgnoredFields | undefined, other: IgnoredFields): IgnoredFields {
  if (!one) return other;
  return { paths: [...one.paths, ...other.paths], managers: new Set([...one.managers, ...other.managers]) };
}

/** The steps of a JSON pointer (RFC 6901); `undefined` if the text is not one, or points at the whole object. */
export function parseJsonPointer(text: string): readonly string[] | undefined {
  if (!/^\/.*[^/]$/s.test(text) || /~(?![01])/.test(text)) return undefined;
  return text
    .slice(1)
    .split("/")
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** Comma or a new line separates; a JSON pointer begins with a slash, and the rest are names of field managers. */
function fieldsFromAnnotation(text: string): IgnoredFields {
  const parts = text
    .split(/[,\n]/)
    .map((part) => part.trim())
    .filter(Boolean);
  return fieldsFrom(
    parts.filter((part) => part.startsWith("/")),
    parts.filter((part) => !part.startsWith("/")),
  );
}

function fieldsFrom(pointers: readonly string[], managers: readonly string[]): IgnoredFields {
  return { paths: pointers.flatMap((pointer) => pathIn(pointer)), managers: new Set(managers) };
}

function pathIn(pointer: string): (readonly string[])[] {
  const path = parseJsonPointer(pointer);
  return path ? [path] : [];
}

interface Selected {
  readonly cluster: string;
  readonly namespace: string;
  readonly object: ManagedObject;
}

function selectorOf({ cluster, namespace, group, kind, name }: IgnoredDifference): (selected: Selected) => boolean {
  return ({ object, ...target }) =>
    matches(kind, object.kind) &&
    matches(name, object.name) &&
    matches(namespace, target.namespace) &&
    matches(cluster, target.cluster) &&
    matches(group, object.apiVersion.includes("/") ? (object.apiVersion.split("/")[0] ?? "") : "");
}

/** Whether a text is as a pattern says, in which `*` stands for any characters. */
function matches(pattern: string | undefined, text: string): boolean {
  if (pattern === undefined || pattern === text) return true;
  const [start = "", ...parts] = pattern.split("*");
  const end = parts.pop();
  if (end === undefined || !text.startsWith(start)) return false;
  let from = start.length;
  for (const part of parts) {
    const at = text.indexOf(part, from);
    if (at < 0) return false;
    from = at + part.length;
  }
  return text.length - end.length >= from && text.endsWith(end);
}
