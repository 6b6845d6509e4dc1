import type { JsonValue } from "../json-value.ts";
import { type ComposedDocument, Composer } from "./composer.ts";
import type { BuilderOptions } from "./document-builder.ts";
import { plainScalar } from "./numbers.ts";
import type { Scalar } from "./resolve-scalar.ts";
import { findUnreadable } from "./unreadable.ts";
import { YamlProblem } from "./yaml-problem.ts";

/** How far goyaml.v2 looks ahead of what it has taken in. */
const lookahead = 4;

/**
 * Reads the first document of a text exactly as `sigs.k8s.io/yaml` does for Helm: whatever follows it is not even looked at,
 * and of keys that come twice the last one wins. Throws a `YamlProblem` whose message is Go's.
 */
export function readFirstYamlDocument(text: string): JsonValue {
  return readDocuments(text, { leaf: plainScalar }, 1)[0]?.value ?? null;
}

/** Reads all documents, or as many as `limit` says. */
export function readDocuments<Leaf extends Scalar>(
  text: string,
  options: BuilderOptions<Leaf>,
  limit = Infinity,
): readonly ComposedDocument<Leaf>[] {
  const unreadable = findUnreadable(text);
  const composer = new Composer(unreadable ? text.slice(0, unreadable.problem.position) : text, options);
  try {
    const documents = takeDocuments(composer, limit);
    if (unreadable && composer.position + lookahead >= unreadable.limit) throw unreadable.problem;
    return documents;
  } catch (error) {
    const isEarlier = error instanceof YamlProblem && composer.position + lookahead < (unreadable?.limit ?? Infinity);
    throw unreadable && !isEarlier ? unreadable.problem : error;
  }
}

function takeDocuments<Leaf extends Scalar>(composer: Composer<Leaf>, limit: number): ComposedDocument<Leaf>[] {
  const documents: ComposedDocument<Leaf>[] = [];
  while (documents.length < limit) {
    const document = composer.next();
    if (!document) break;
    documents.push(document);
  }
  return documents;
}
