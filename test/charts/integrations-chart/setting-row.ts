import type { JsonObject, JsonValue } from "#base";
import { look, renderOne } from "./render-integrations.ts";

/** What one setting does: which value it gives to what `look` finds at the path. */
export interface SettingRow {
  readonly reason: string;
  readonly settings: JsonObject;
  readonly path: string;
  readonly expected: unknown;
  readonly parameters?: Record<string, string>;
}

/** What is at the path of a row. */
export function found({ settings, path, parameters }: SettingRow): JsonValue | undefined {
  return look(renderOne(settings, parameters), path);
}
