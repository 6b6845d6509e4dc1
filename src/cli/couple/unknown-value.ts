import { isRecord } from "#base";

/** Objects of a cluster are read as they are, also where they fit no schema of ours: these are the ones people ask about. */
export type UnknownRecord = Readonly<Record<string, unknown>>;

export function recordOf(value: unknown): UnknownRecord {
  return isRecord(value) ? value : {};
}

export function recordsOf(value: unknown): UnknownRecord[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

export function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}
