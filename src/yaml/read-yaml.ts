import type { JsonValue } from "#base";
import { type ComposedDocument, Composer } from "./composer.ts";
import { convertTyped } from "./convert-typed.ts";
import { type BuilderOptions, NeedsCarefulReading } from "./document-builder.ts";
import { type KnownLines, readSimpleDocument } from "./read-simple.ts";
import { resolvePyyamlPlain } from "./resolve-pyyaml.ts";
import { exactScalar, plainScalar, type Scalar } from "./resolve-scalar.ts";
import { EntryPositions } from "./text-position.ts";
import { findUnreadable } from "./unreadable.ts";
import { YamlProblem } from "./yaml-problem.ts";

/** How far goyaml.v2 looks ahead of what it has taken in. */
const lookahead = 4;

/**
 * Reads the first document of a text exactly as `sigs.k8s.io/yaml` does for Helm: whatever follows it is not even looked at,
 * and of keys that come twice the last one wins. Throws a `YamlProblem` whose message is Go's;
 * `quote` is Go's `strconv.Quote`, for the few messages that show a value.
 */
export function readFirstYamlDocument(
  text: string,
  quote: (text: string) => string = JSON.stringify,
  knownLines: KnownLines = new Map(),
): JsonValue {
  return readYamlDocuments(text, { leaf: plainScalar, quote, knownLines, limit: 1 })[0]?.value ?? null;
}

/** Reads documents that resemble each other as `readFirstYamlDocument` does. Keeps their texts in memory as long as it is there itself. */
export function similarDocumentReader(): (text: string) => JsonValue {
  const knownLines: KnownLines = new Map();
  return (text) => readFirstYamlDocument(text, JSON.stringify, knownLines);
}

export interface ReadYamlOptions<Leaf extends Scalar>
  extends Pick<BuilderOptions<Leaf>, "library" | "leaf" | "refusesDuplicates" | "resolvePlain" | "onDuplicate"> {
  readonly quote?: (text: string) => string;
  readonly knownLines?: KnownLines;
  /** Documents behind this many are not looked at. */
  readonly limit?: number;
}

/** Reads documents: as simple ones, else by the whole of YAML, and once more with every detail kept if that is not enough. */
export function readYamlDocuments<Leaf extends Scalar>(
  text: string,
  options: ReadYamlOptions<Leaf>,
): readonly ComposedDocument<Leaf>[] {
  if (options.library === "pyyaml") return readPyyamlDocuments(text, options);
  const simple = readSimpleDocument(text, options);
  if (simple) return [simple];
  try {
    return takeDocuments(text, options, options.limit);
  } catch (error) {
    if (!(error instanceof NeedsCarefulReading)) throw error;
    return readCarefully(text, options);
  }
}

/** Reads documents as PyYAML does; `NeedsCarefulReading` is about Go's words, which do not matter here. */
function readPyyamlDocuments<Leaf extends Scalar>(
  text: string,
  options: ReadYamlOptions<Leaf>,
): readonly ComposedDocument<Leaf>[] {
  const { resolvePlain = resolvePyyamlPlain } = options;
  const simple = readSimpleDocument(text, { ...options, resolvePlain, refusesDuplicates: true });
  return simple ? [simple] : takeDocuments(text, { ...options, resolvePlain });
}

function readCarefully<Leaf extends Scalar>(
  text: string,
  { leaf, refusesDuplicates = false, quote = JSON.stringify, limit }: ReadYamlOptions<Leaf>,
): readonly ComposedDocument<Leaf>[] {
  const positions = new EntryPositions();
  const documents = takeDocuments(text, { leaf: exactScalar, refusesDuplicates, positions, careful: { quote } }, limit);
  return documents.map(({ value, position, line }) => {
    return { value: convertTyped(value, { leaf, quote, refusesDuplicates, positions }), position, line };
  });
}

/** The documents of a text up to what Go would refuse to read: it looks at bytes before it looks at words. */
export function takeDocuments<Leaf extends Scalar>(
  text: string,
  options: BuilderOptions<Leaf>,
  limit = Infinity,
): ComposedDocument<Leaf>[] {
  const unreadable = findUnreadable(text);
  const composer = new Composer(unreadable ? text.slice(0, unreadable.problem.position) : text, options);
  const hasReached = (): boolean => unreadable !== undefined && composer.position + lookahead >= unreadable.limit;
  try {
    const documents: ComposedDocument<Leaf>[] = [];
    for (let document = composer.next(); document; document = documents.length < limit ? composer.next() : undefined)
      documents.push(document);
    if (unreadable && hasReached()) throw unreadable.problem;
    return documents;
  } catch (error) {
    throw unreadable && error instanceof YamlProblem && hasReached() ? unreadable.problem : error;
  }
}
