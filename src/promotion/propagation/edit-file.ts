import { basename, extname } from "node:path/posix";
import { InputError } from "#base";
import type { GoRegexp } from "#golang";
import { parseYamlDocuments, readSourceNodes } from "#yaml";
import { type AdvertisedImage, readReference, type RegistryAliases } from "./advertised-image.ts";
import { findEdits, isRefused, type RefusedReference, type TextEdit } from "./find-edits.ts";

/** How references are found, beside the forms that Tenon knows. */
export interface EditRules {
  readonly aliases: RegistryAliases;
  /** For files of any kind. The group `currentDigest` is what is replaced. */
  readonly patterns: readonly ReferencePattern[];
}

/** A regular expression of RE2 with a group `currentDigest`; `depName` and `currentValue`, if it has them, name image and tag. */
export interface ReferencePattern {
  readonly regexp: GoRegexp;
  /** The image that a pattern without `depName` is about. */
  readonly repository?: string;
}

/** A reference to an advertised image, with its line. */
export interface FileReference {
  readonly image: AdvertisedImage;
  readonly line: number;
  readonly digestBefore: string | undefined;
}

export interface FileProblem {
  readonly line?: number;
  readonly reason: string;
}

export interface LineChange {
  readonly line: number;
  readonly before: string;
  readonly after: string;
}

/** What became of one file. */
export interface EditedFile {
  readonly path: string;
  /** The new content; undefined if the file stays as it is. */
  readonly content?: Buffer;
  /** The lines that differ; an edit never adds or removes one. */
  readonly changes: readonly LineChange[];
  readonly references: readonly FileReference[];
  readonly problems: readonly FileProblem[];
}

const largestFile = 2 ** 20;
const skippedDirectories = /(^|\/)(vendor|node_modules|\.git)\//;
const yamlEndings: ReadonlySet<string> = new Set([".yaml", ".yml", ".json"]);

/** Whether references are looked for in a file of that path. */
export function isEditable(path: string, rules: EditRules): boolean {
  if (skippedDirectories.test(path)) return false;
  return isYaml(path) || rules.patterns.length > 0;
}

function isYaml(path: string): boolean {
  return yamlEndings.has(extname(path)) || basename(path) === "Kustomization";
}

/**
 * Sets the digest of every reference to the advertised images, and changes no other byte. The result edited again is unchanged.
 * A file that is not valid YAML is a problem only if it seems to hold a reference.
 */
export function editFile(
  path: string,
  content: Buffer,
  images: readonly AdvertisedImage[],
  rules: EditRules,
): EditedFile {
  const text = content.toString("utf8");
  const mayRefer = images.some(({ repository }) => text.includes(repository.slice(repository.lastIndexOf("/") + 1)));
  if (!mayRefer && rules.patterns.length === 0 && Object.keys(rules.aliases).length === 0) return untouched(path);
  if (content.length > largestFile) return mayRefer ? untouched(path, "larger than 1 MiB") : untouched(path);
  if (!Buffer.from(text).equals(content)) return mayRefer ? untouched(path, "not UTF-8") : untouched(path);
  const found: (TextEdit | RefusedReference)[] = findByPatterns(text, images, rules);
  const problems: FileProblem[] = [];
  if (isYaml(path)) {
    const nodes = readNodes(path, text);
    if (typeof nodes !== "string") found.push(...findEdits(nodes, images, rules.aliases));
    else if (mayRefer) problems.push({ reason: nodes });
  }
  return applyEdits(path, text, found, problems);
}

function untouched(path: string, problem?: string): EditedFile {
  return { path, changes: [], references: [], problems: problem === undefined ? [] : [{ reason: problem }] };
}

/** The nodes, or why there are none. */
function readNodes(path: string, text: string) {
  if (text.includes("{{") && /(^|\/)templates\//.test(path)) return "a Helm template is not edited";
  try {
    parseYamlDocuments(text);
    return readSourceNodes(text);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return text.includes("{{") ? "a template is not edited" : error.message;
  }
}

function findByPatterns(text: string, images: readonly AdvertisedImage[], rules: EditRules): TextEdit[] {
  return rules.patterns.flatMap((pattern) => findByPattern(text, images, rules.aliases, pattern));
}

function findByPattern(
  text: string,
  images: readonly AdvertisedImage[],
  aliases: RegistryAliases,
  { regexp, repository }: ReferencePattern,
): TextEdit[] {
  const edits: TextEdit[] = [];
  const groups = regexp.groupNames;
  for (let from = 0; from <= text.length; ) {
    const offsets = regexp.matchAt(text, from, groups.length);
    if (!offsets) break;
    const [begin = from, end = from] = offsets;
    const group = (name: string) => {
      const at = groups.indexOf(name) * 2;
      return at < 0 || (offsets[at] ?? -1) < 0 ? undefined : text.slice(offsets[at], offsets[at + 1]);
    };
    const name = group("depName") ?? group("packageName") ?? repository;
    const named = name === undefined ? undefined : readReference(name, aliases)?.repository;
    const tag = group("currentValue");
    const image = images.find((one) => one.repository === named && (tag === undefined || one.tag === tag));
    const digestBefore = group("currentDigest");
    const start = offsets[groups.indexOf("currentDigest") * 2] ?? -1;
    if (image && digestBefore !== undefined && start >= 0) {
      edits.push({ image, start, end: start + digestBefore.length, replacement: image.digest, digestBefore });
    }
    from = end > begin ? end : end + 1;
  }
  return edits;
}

function applyEdits(
  path: string,
  text: string,
  found: readonly (TextEdit | RefusedReference)[],
  problems: readonly FileProblem[],
): EditedFile {
  const ordered = found.toSorted((a, b) => a.start - b.start);
  const refused = ordered.filter(isRefused).map(({ start, reason }) => ({ line: lineOf(text, start), reason }));
  const pieces: string[] = [];
  const references: FileReference[] = [];
  let at = 0;
  for (const edit of ordered) {
    // A pattern and a form that Tenon knows may find the same reference.
    if (isRefused(edit) || edit.start < at) continue;
    pieces.push(text.slice(at, edit.start), edit.replacement);
    at = edit.end;
    references.push({ image: edit.image, line: lineOf(text, edit.start), digestBefore: edit.digestBefore });
  }
  pieces.push(text.slice(at));
  const edited = pieces.join("");
  const rest = { path, changes: changedLines(text, edited), references, problems: [...problems, ...refused] };
  return edited === text ? rest : { ...rest, content: Buffer.from(edited) };
}

function changedLines(text: string, edited: string): LineChange[] {
  if (text === edited) return [];
  const after = edited.split(/\r?\n/);
  return text
    .split(/\r?\n/)
    .map((before, index) => ({ line: index + 1, before, after: after[index] ?? "" }))
    .filter((change) => change.before !== change.after);
}

function lineOf(text: string, position: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < position; at = text.indexOf("\n", at + 1)) line += 1;
  return line;
}
