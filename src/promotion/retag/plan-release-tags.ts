import { InputError } from "#base";
import { formatImageReference, formatRepository, type ImageFacts, parseTag, type RepositoryName } from "#oci";
import { expiryLabel, expiryOf } from "../releases/find-expiry.ts";
import { expandTag, type TagVariables } from "./expand-tag.ts";
import { formatTimestamp } from "./format-timestamp.ts";
import type { MappedComponent, ReleasedComponent } from "./release-mapping.ts";

/** The tags that one repository gets for one image. */
export interface RepositoryTags {
  readonly component: ReleasedComponent;
  readonly repository: RepositoryName;
  /** May be moved by a later release. */
  readonly tags: readonly string[];
  /** Written once, and never moved. */
  readonly immutableTag: string;
}

export interface TagPlanning {
  readonly snapshot: string;
  /** When the Release was created: a repeated run gives the same tags. */
  readonly releasedAt: Date;
  /** Whether images may be released that the registry will delete by itself. */
  readonly allowExpiring: boolean;
}

const mostWrites = 2_000;

/** The tag that keeps what a Snapshot released. */
function immutableTagOf(snapshot: string): string {
  return parseTag(`released-${snapshot}`, "metadata.name of the Snapshot");
}

/** Decides which tag of which repository gets which image; all problems at once. `facts` are by the full name of the image. */
export function planReleaseTags(
  components: readonly MappedComponent[],
  facts: ReadonlyMap<string, ImageFacts>,
  planning: TagPlanning,
): readonly RepositoryTags[] {
  const immutableTag = immutableTagOf(planning.snapshot);
  const problems: string[] = [];
  const planned = components.flatMap((component) => {
    const known = facts.get(formatImageReference(component.image));
    const expiry = known && expiryOf(known);
    if (expiry !== undefined && !planning.allowExpiring) {
      problems.push(
        `${formatImageReference(component.image)}: the image expires (its label ${expiryLabel} is ${JSON.stringify(expiry)}), so that its tags would be lost; build it without the label, or set data.allowExpiring: true in the ReleasePlan`,
      );
    }
    const variables = variablesOf(component, known, planning);
    return component.targets.map(({ repository, tags, where }): RepositoryTags => {
      const expanded = tags.flatMap((template) => {
        try {
          return [expandTag(template, variables, where)];
        } catch (error) {
          if (!(error instanceof InputError)) throw error;
          problems.push(`component ${component.name}: ${error.message}`);
          return [];
        }
      });
      const moving = [...new Set(expanded)].filter((tag) => tag !== immutableTag);
      return { component, repository, tags: moving, immutableTag };
    });
  });
  problems.push(...contradictions(planned));
  const writes = planned.reduce((sum, { tags }) => sum + tags.length + 1, 0);
  if (writes > mostWrites) problems.push(`the release has ${writes} tags, expected at most ${mostWrites}`);
  if (problems.length > 0) throw new InputError(listProblems(problems));
  return planned;
}

/** All of them, or the first ones of very many. */
export function listProblems(problems: readonly string[]): string {
  const most = 20;
  const shown = [...new Set(problems)];
  const more = shown.length > most ? [`and ${shown.length - most} more`] : [];
  return [...shown.slice(0, most), ...more].join("\n");
}

/** Two images cannot have one tag. */
function contradictions(planned: readonly RepositoryTags[]): string[] {
  const owners = new Map<string, ReleasedComponent>();
  return planned.flatMap(({ component, repository, tags, immutableTag }) =>
    [...tags, immutableTag].flatMap((tag) => {
      const name = `${formatRepository(repository)}:${tag}`;
      const other = owners.get(name) ?? component;
      owners.set(name, other);
      if (other.image.digest === component.image.digest) return [];
      return [
        `${name} is asked for by the components ${other.name} and ${component.name}, which have different images; give them repositories of their own in data.mapping.components`,
      ];
    }),
  );
}

function variablesOf(
  { image: { digest }, revision, timestampFormat }: MappedComponent,
  facts: ImageFacts | undefined,
  { releasedAt }: TagPlanning,
): TagVariables {
  const labels = facts?.config.labels ?? {};
  const built = parseTime(labels["build-date"]) ?? parseTime(facts?.config.created);
  const values: Readonly<Record<string, () => string | undefined>> = {
    timestamp: () => (built ? formatTimestamp(built, timestampFormat) : undefined),
    release_timestamp: () => formatTimestamp(releasedAt, timestampFormat),
    git_sha: () => revision,
    git_short_sha: () => revision?.slice(0, 7),
    digest_sha: () => digest.slice(digest.indexOf(":") + 1),
  };
  return (name) => {
    if (Object.hasOwn(values, name)) return values[name]?.();
    const label = name.startsWith("labels.") ? name.slice("labels.".length) : "";
    return Object.hasOwn(labels, label) ? labels[label] : undefined;
  };
}

/** Build tools write times with and without a zone; without one, they mean UTC. */
function parseTime(text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const hasZone = /(?:Z|[+-]\d\d:?\d\d)$/i.test(text) || /^\d{4}-\d\d-\d\d$/.test(text);
  const time = new Date(hasZone ? text : `${text}Z`);
  return Number.isNaN(time.getTime()) ? undefined : time;
}
