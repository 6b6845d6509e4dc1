import type { FieldPath } from "#base";
import type { BundleReading } from "#bundle";
import { locateInYaml } from "#yaml";
import type { ManagedTarget, NamespaceData } from "./integration.ts";
import type { IntegrationError } from "../desired/desired.ts";

/** Something about an integration that a human should know, before it is looked up where that is written. */
export interface IntegrationFinding extends IntegrationError {
  /** Path of the file within the data. */
  readonly file?: string | undefined;
  readonly at?: FieldPath | undefined;
  /** Of the target it is about, if it is about one. */
  readonly environment?: string | undefined;
  /** Of the integration, as far as it is known. */
  readonly upstream?: string | undefined;
}

export interface IntegrationFindings {
  readonly errors: readonly IntegrationFinding[];
  readonly warnings: readonly IntegrationFinding[];
}

/** What is wrong with one target; `at` is a field of its entry in the file. */
export function targetFinding(target: ManagedTarget, at: FieldPath, what: string, next?: string): IntegrationFinding {
  const { integration, file, where, index, namespace } = target;
  return {
    integration,
    file,
    where,
    at: ["managed", index, ...at],
    what,
    next,
    ...scopeOf(namespace),
  };
}

export function scopeOf({ path, cluster, environment }: NamespaceData) {
  return { namespace: path, cluster: cluster.name, environment: environment.name };
}

type Locate = (file: string, at: FieldPath, signal: AbortSignal) => Promise<string | undefined>;

/** Adds file and line to each finding, as far as they are known. */
export async function locateFindings(
  findings: readonly IntegrationFinding[],
  locate: Locate | undefined,
  signal: AbortSignal,
): Promise<IntegrationError[]> {
  const located: IntegrationError[] = [];
  for (const { file, at, environment: _, upstream: __, ...finding } of findings) {
    const found = file === undefined || at === undefined ? undefined : await locate?.(file, at, signal);
    located.push(found === undefined ? finding : { ...finding, where: found });
  }
  return located;
}

/**
 * Finds fields in the files that data was read from: the nearest field around the one asked for, if that is not written there
 * as it is read. Undefined for what is in no file.
 */
export function fieldLocator(find: BundleReading["find"]): Locate {
  const texts = new Map<string, Promise<string | undefined>>();
  return async (file, at, signal) => {
    const original = find("data", file);
    if (!original) return undefined;
    const reading = texts.get(file) ?? original.text(signal).catch(() => undefined);
    texts.set(file, reading);
    const text = await reading;
    const position = text === undefined ? undefined : nearestPosition(text, at);
    return position ? `${original.file}:${position.line}:${position.column}` : original.file;
  };
}

function nearestPosition(text: string, at: FieldPath) {
  for (let length = at.length; length >= 0; length--) {
    const [list, ...below] = at.slice(0, length);
    const paths = list === undefined ? [[]] : [[list, ...below]];
    // The former name, under which it may be written.
    if (list === "managed") paths.push(["operate", ...below]);
    for (const path of paths) {
      const position = locateInYaml(text, path, "pyyaml");
      if (position) return position;
    }
  }
  return undefined;
}
