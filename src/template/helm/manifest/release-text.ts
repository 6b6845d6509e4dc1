import { InputError } from "#base";
import { compilePathPattern } from "../chart/path-pattern.ts";
import { trimSpace } from "#golang";
import { splitManifests } from "./split-manifests.ts";

/** A document, and the template or file it comes from. */
export interface SourcedText {
  readonly source: string;
  readonly text: string;
}

export interface ReleaseParts<Part extends SourcedText = SourcedText> {
  readonly crds: readonly Part[];
  readonly manifests: readonly Part[];
  readonly hooks: readonly Part[];
}

/** What `helm template` prints, byte for byte. */
export function releaseText({ crds, manifests, hooks }: ReleaseParts): string {
  const release = [...crds, ...manifests].map(sourced).join("");
  return `${trimSpace(release)}\n${hooks.map(sourced).join("")}`;
}

function sourced({ source, text }: SourcedText): string {
  return `---\n# Source: ${source}\n${text}\n`;
}

/** The parts that `helm template --show-only` prints: by pattern, and in the order of the patterns. */
export function selectTemplates<Part extends SourcedText>(parts: readonly Part[], patterns: readonly string[]): Part[] {
  return patterns.flatMap((pattern) => {
    const matches = compilePathPattern(pattern) ?? (() => false);
    const found = parts.filter(({ source }) => matches(source.slice(source.indexOf("/") + 1)));
    if (found.length > 0) return found;
    throw new InputError(`no rendered template matches ${pattern}`, {
      where: "--show-only",
      next: `write a path within the chart, such as ${nameOf(parts[0])}`,
    });
  });
}

function nameOf(part: SourcedText | undefined): string {
  return part ? part.source.slice(part.source.indexOf("/") + 1) : "templates/deployment.yaml";
}

/** What `helm template --show-only` prints of selected parts. */
export function selectionText(parts: readonly SourcedText[]): string {
  return parts.map(({ source, text }) => `---\n# Source: ${source}\n${trimSpace(text)}\n`).join("");
}

/** Splits the output of `helm template` into documents. */
export function readReleaseText(text: string): SourcedText[] {
  return splitManifests(text).map((document) => {
    const [, source = "", rest = document] = /^# Source: (\S+)\n(.*)$/s.exec(document) ?? [];
    return { source, text: rest };
  });
}
