import { type FieldPath, isJsonList, isJsonObject, type JsonValue } from "#base";

/** A difference between two values; `old` or `new` is undefined if the value is missing there. */
export interface ValueChange {
  readonly at: FieldPath;
  readonly old: JsonValue | undefined;
  readonly new: JsonValue | undefined;
}

/** The differences between two values, as deep as possible. List items are compared by index. */
export function diffValues(old: JsonValue | undefined, current: JsonValue | undefined): ValueChange[] {
  const changes: ValueChange[] = [];
  collect(old, current, [], changes);
  return changes;
}

function collect(
  old: JsonValue | undefined,
  current: JsonValue | undefined,
  at: readonly (string | number)[],
  changes: ValueChange[],
): void {
  if (old === current) return;
  if (isJsonObject(old) && isJsonObject(current)) {
    for (const key of new Set([...Object.keys(old), ...Object.keys(current)])) {
      collect(ownField(old, key), ownField(current, key), [...at, key], changes);
    }
  } else if (isJsonList(old) && isJsonList(current)) {
    for (let index = 0; index < Math.max(old.length, current.length); index++) {
      collect(old[index], current[index], [...at, index], changes);
    }
  } else {
    changes.push({ at, old, new: current });
  }
}

function ownField(object: { readonly [key: string]: JsonValue }, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}
