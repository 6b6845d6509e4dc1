import { formatRepository, parseImageReference } from "#oci";

/** An image that a release or a moved tag advertises: references to this repository and tag should carry this digest. */
export interface AdvertisedImage {
  /** The full name, as `formatRepository` writes it. */
  readonly repository: string;
  readonly tag: string;
  /** Of the index, if the image has several platforms. */
  readonly digest: string;
  /** What titles and tables call it; default: the end of the repository. */
  readonly component?: string;
}

/** As `repository:tag`. */
export function imageName({ repository, tag }: Pick<AdvertisedImage, "repository" | "tag">): string {
  return `${repository}:${tag}`;
}

/** What titles and tables call an image. */
export function imageComponent({ repository, component }: Pick<AdvertisedImage, "repository" | "component">): string {
  return component ?? repository.slice(repository.lastIndexOf("/") + 1);
}

/** Other names of a registry or of a repository's beginning, by the name that references use. */
export type RegistryAliases = Readonly<Record<string, string>>;

/** A reference as a file has it: the tag may be missing where a file has it in a field of its own. */
export interface WrittenReference {
  readonly repository: string;
  readonly tag: string | undefined;
  readonly digest: string | undefined;
}

/** Reads a reference; undefined if the text is none, such as a template. */
export function readReference(text: string, aliases: RegistryAliases): WrittenReference | undefined {
  const isLikely = text.length <= 1_000 && /^[\w.\-/:@[\]]+$/.test(text);
  if (!isLikely) return undefined;
  const longest = Object.keys(aliases)
    .filter((alias) => text === alias || text.startsWith(`${alias}/`))
    .reduce((best, alias) => (alias.length > best.length ? alias : best), "");
  const named = longest === "" ? text : `${aliases[longest] ?? ""}${text.slice(longest.length)}`;
  try {
    const reference = parseImageReference(named);
    return { repository: formatRepository(reference), tag: reference.tag, digest: reference.digest };
  } catch {
    // Most texts of a file are not references.
    return undefined;
  }
}
