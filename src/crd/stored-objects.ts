import { describeError, InputError, valueAt } from "#base";
import type { KubeClient } from "#kube";
import type { Kind } from "./define-kind.ts";
import type { LiveDefinition } from "./live-definition.ts";

const pageSize = 500;
const shownExamples = 10;

export interface Violations {
  readonly count: number;
  /** Descriptions of the first few. */
  readonly examples: readonly string[];
  /** Why not all objects could be checked. */
  readonly unchecked?: string;
}

/**
 * The stored objects that the new definition would refuse, for the report. If they cannot be listed, the report says so, and
 * the installation continues. The API server keeps such objects and allows updates that do not touch the invalid fields:
 * https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation-ratcheting
 */
export async function findViolations(
  client: Pick<KubeClient, "pages">,
  kind: Kind,
  live: LiveDefinition,
  signal?: AbortSignal,
): Promise<Violations> {
  const { version, group } = kind.definition;
  const served = live.spec.versions.filter((each) => each.served);
  const readable = served.find(({ name }) => name === version) ?? served[0];
  if (!readable) return { count: 0, examples: [] };
  const examples: string[] = [];
  let count = 0;
  const selection = { apiVersion: `${group}/${readable.name}`, kind: kind.kind };
  try {
    for await (const { items } of client.pages(selection, { limit: pageSize }, signal)) {
      const problems = items.flatMap((item) => problemOf(kind, item) ?? []);
      count += problems.length;
      examples.push(...problems.slice(0, shownExamples - examples.length));
    }
  } catch (error) {
    signal?.throwIfAborted();
    return { count, examples, unchecked: describeError(error) };
  }
  return { count, examples };
}

function problemOf(kind: Kind, object: unknown): string | undefined {
  try {
    kind.parse({
      apiVersion: kind.apiVersion,
      kind: kind.kind,
      metadata: valueAt(object, ["metadata"]),
      spec: valueAt(object, ["spec"]),
    });
    return undefined;
  } catch (error) {
    if (error instanceof InputError) return error.message;
    throw error;
  }
}
