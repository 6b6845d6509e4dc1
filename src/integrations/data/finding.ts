import type { FieldPath } from "#base";
import type { IntegrationError } from "../desired/desired.ts";
import type { ManagedPlace, NamespaceData } from "./integration.ts";

/** Something about an integration that a human should know, before it is looked up where that is written. */
export interface Finding extends IntegrationError {
  /** Path of the file within the data. */
  readonly file?: string | undefined;
  readonly at?: FieldPath | undefined;
  /** Of the place it is about, if it is about one. */
  readonly environment?: string | undefined;
}

export interface Findings {
  readonly errors: readonly Finding[];
  readonly warnings: readonly Finding[];
}

/** What is wrong with one place; `at` is a field of its entry in the file. */
export function findingOf(place: ManagedPlace, at: FieldPath, what: string, next?: string): Finding {
  const { integration, file, where, index, namespace } = place;
  return {
    integration,
    file,
    where,
    at: ["managed", index, ...at],
    what,
    next,
    ...placeOf(namespace),
  };
}

export function placeOf({ path, cluster, environment }: NamespaceData) {
  return { namespace: path, cluster: cluster.name, environment: environment.name };
}

export type Locate = (file: string, at: FieldPath, signal: AbortSignal) => Promise<string | undefined>;

/** Says of each finding the file and line, as far as somebody knows. */
export async function locateFindings(
  findings: readonly Finding[],
  locate: Locate | undefined,
  signal: AbortSignal,
): Promise<IntegrationError[]> {
  const located: IntegrationError[] = [];
  for (const { file, at, environment: _, ...finding } of findings) {
    const place = file === undefined || at === undefined ? undefined : await locate?.(file, at, signal);
    located.push(place === undefined ? finding : { ...finding, where: place });
  }
  return located;
}
