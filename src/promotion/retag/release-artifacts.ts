import { describeTagMoveReason, formatImageReference, formatRepository, type ImageFacts, type TagMove } from "#oci";
import type { RepositoryTags } from "./plan-release-tags.ts";

/** What became of the tags of one image in one repository. */
export interface TaggedRepository extends RepositoryTags {
  readonly moves: readonly TagMove[];
}

/** An image in `status.artifacts.images` of a Release, as the tools of release-service read it. */
interface ReleasedImage {
  readonly name: string;
  readonly arches: readonly string[];
  readonly oses: readonly string[];
  readonly shasum: string;
  readonly urls: readonly string[];
}

/** What a re-tag adds to `status.artifacts`. */
export interface ReleaseArtifacts {
  readonly images: readonly ReleasedImage[];
  /** Tags that stay where they are, and why; left out if there are none. */
  readonly skippedTags?: readonly { readonly url: string; readonly reason: string; readonly message: string }[];
  readonly [key: string]: unknown;
}

/** `facts` are by the full name of the image. */
export function releaseArtifacts(
  tagged: readonly TaggedRepository[],
  facts: ReadonlyMap<string, ImageFacts>,
): ReleaseArtifacts {
  const keyOf = ({ component: { name, image } }: TaggedRepository) => `${name} ${formatImageReference(image)}`;
  const images = Object.values(Object.groupBy(tagged, keyOf)).flatMap((own = []) => {
    const component = own[0]?.component;
    if (!component) return [];
    const platforms = (facts.get(formatImageReference(component.image))?.platforms ?? []).flatMap(
      ({ platform }) => platform ?? [],
    );
    const partsOf = (part: number) => new Set(platforms.flatMap((platform) => platform.split("/")[part] ?? []));
    const image: ReleasedImage = {
      name: component.name,
      arches: [...partsOf(1)],
      oses: [...partsOf(0)],
      shasum: component.image.digest,
      urls: own.flatMap(({ repository, moves }) =>
        moves.filter(({ action }) => action !== "refuse").map(({ tag }) => `${formatRepository(repository)}:${tag}`),
      ),
    };
    return [image];
  });
  const skippedTags = tagged.flatMap(({ repository, moves }) =>
    moves.flatMap((move) =>
      move.reason === undefined
        ? []
        : [
            {
              url: `${formatRepository(repository)}:${move.tag}`,
              reason: move.reason,
              message: describeTagMoveReason(move) ?? "",
            },
          ],
    ),
  );
  return { images, ...(skippedTags.length === 0 ? {} : { skippedTags }) };
}
