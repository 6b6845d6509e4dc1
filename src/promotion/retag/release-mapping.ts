import { z } from "zod";
import { InputError, isRecord } from "#base";
import { formatRepository, type ImageReference, parseImageReference, type RepositoryName } from "#oci";

const mostTags = 50;
const mostRepositories = 20;
const mostComponents = 2_000;

const tags = z.array(z.string()).max(mostTags);
const timestampFormat = z.string().max(128);

const MappedRepository = z.looseObject({ url: z.string(), tags: tags.optional() });
const Mapping = z.looseObject({
  defaults: z.looseObject({ tags: tags.optional(), timestampFormat: timestampFormat.optional() }).optional(),
  components: z
    .array(
      z.looseObject({
        name: z.string(),
        repository: z.string().optional(),
        repositories: z.array(MappedRepository).max(mostRepositories).optional(),
        tags: tags.optional(),
        timestampFormat: timestampFormat.optional(),
      }),
    )
    .max(mostComponents)
    .optional(),
});
type Mapping = z.infer<typeof Mapping>;
type ComponentMapping = NonNullable<Mapping["components"]>[number];

/** A component of a Snapshot, as a release sees it. */
export interface ReleasedComponent {
  readonly name: string;
  readonly image: ImageReference & { readonly digest: string };
  /** The commit that it was built from. */
  readonly revision: string | undefined;
}

/** Where an image goes, and the tags it gets there, with variables. */
export interface MappedTarget {
  readonly repository: RepositoryName;
  readonly tags: readonly string[];
  /** The field that says so, for messages. */
  readonly where: string;
}

export interface MappedComponent extends ReleasedComponent {
  readonly targets: readonly MappedTarget[];
  readonly timestampFormat: string;
}

/** Reads the components of a Snapshot. Each image must be given by its digest: a tag may have moved since the tests. */
export function readComponents(spec: unknown): readonly ReleasedComponent[] {
  const components = isRecord(spec) && Array.isArray(spec["components"]) ? spec["components"].filter(isRecord) : [];
  return components.map(({ name, containerImage, source }) => {
    const where = `spec.components[${String(name)}].containerImage of the Snapshot`;
    const given = typeof containerImage === "string" ? containerImage : "";
    const { digest, ...image } = readAt(where, () => parseImageReference(given));
    if (digest === undefined) {
      throw new InputError(`${given} has no digest`, { where, next: "give it as REPOSITORY@sha256:DIGEST" });
    }
    const git = isRecord(source) && isRecord(source["git"]) ? source["git"] : {};
    const revision = typeof git["revision"] === "string" ? git["revision"] : undefined;
    return { name: String(name), image: { ...image, digest }, revision };
  });
}

/**
 * Decides which component goes where, by `mapping` of the merged data. Without a list of components, each one is re-tagged in
 * the repository it was built into; with one, only those that it names are released. `extraTags` go to all of them.
 */
export function mapComponents(
  components: readonly ReleasedComponent[],
  data: Readonly<Record<string, unknown>>,
  extraTags: readonly string[] = [],
): readonly MappedComponent[] {
  const { defaults = {}, components: mapped } = readMapping(data["mapping"]);
  const shared = [...(defaults.tags ?? []), ...extraTags];
  if (components.length === 0) {
    throw new InputError("the Snapshot has no components", { next: "build one first" });
  }
  const found = components.flatMap((component) => {
    const own = mapped?.find(({ name }) => name === component.name);
    if (mapped && !own) return [];
    const targets = targetsOf(component, own, shared);
    return [{ ...component, targets, timestampFormat: own?.timestampFormat ?? defaults.timestampFormat ?? "%s" }];
  });
  if (found.length > 0) return found;
  throw new InputError(
    `no component of the Snapshot (${names(components)}) is among those of the mapping (${names(mapped ?? [])})`,
    { where: "data.mapping.components", next: "use the names of the Snapshot, or leave the list out to release all" },
  );
}

function names(all: readonly { readonly name: string }[]): string {
  return all.map(({ name }) => name).join(", ") || "none";
}

function targetsOf(
  { name, image }: ReleasedComponent,
  mapping: ComponentMapping | undefined,
  shared: readonly string[],
): readonly MappedTarget[] {
  const where = mapping ? `data.mapping.components[${name}]` : "data.mapping.defaults";
  const given = [
    ...(mapping?.repository === undefined ? [] : [{ url: mapping.repository, where: `${where}.repository` }]),
    ...(mapping?.repositories ?? []).map((each, index) =>
      Object.assign({ where: `${where}.repositories[${index}]` }, each),
    ),
  ];
  const own = [...shared, ...(mapping?.tags ?? [])];
  const targets: MappedTarget[] =
    given.length === 0
      ? [{ repository: { registry: image.registry, repository: image.repository }, tags: own, where }]
      : given.map((each) => ({
          repository: readRepository(each.url, each.where),
          tags: [...own, ...("tags" in each ? (each.tags ?? []) : [])],
          where: each.where,
        }));
  const byName = new Map<string, MappedTarget>();
  for (const target of targets) {
    const key = formatRepository(target.repository);
    const before = byName.get(key);
    const all = [...new Set([...(before?.tags ?? []), ...target.tags])];
    if (all.length === 0) {
      throw new InputError(`the component ${name} gets no tag in ${key}`, {
        where: target.where,
        next: "set data.mapping.defaults.tags, such as [released]",
      });
    }
    if (all.length > mostTags) {
      throw new InputError(`the component ${name} gets ${all.length} tags in ${key}`, {
        where: target.where,
        next: `use at most ${mostTags}`,
      });
    }
    byName.set(key, { ...target, tags: all });
  }
  return [...byName.values()];
}

function readRepository(url: string, where: string): RepositoryName {
  const { registry, repository, tag, digest } = readAt(where, () => parseImageReference(url));
  if (tag === undefined && digest === undefined) return { registry, repository };
  throw new InputError(`expected a repository, got ${JSON.stringify(url)}`, {
    where,
    next: "leave out the tag and the digest; `tags` has the tags",
  });
}

function readMapping(value: unknown): Mapping {
  const parsed = Mapping.safeParse(value ?? {});
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new InputError(issue?.message ?? "unexpected content", {
    where: ["data.mapping", ...(issue?.path ?? [])].join("."),
    next: "correct spec.data of the ReleasePlan, or of the ReleasePlanAdmission",
  });
}

/** Adds the field to the error of a reader. */
function readAt<Result>(field: string, read: () => Result): Result {
  try {
    return read();
  } catch (cause) {
    if (!(cause instanceof InputError)) throw cause;
    throw new InputError(cause.what, {
      where: cause.where === undefined ? field : `${field}: ${cause.where}`,
      ...(cause.next === undefined ? {} : { next: cause.next }),
      cause,
    });
  }
}
