import { compareText, isRecord } from "#base";
import type { KubeObject } from "#kube";
import { formatRepository, parseImageReference } from "#oci";
import { releaseConditions } from "../kinds/promotion-names.ts";
import { conditionState, releaseStatus, specOf } from "../releases/release-state.ts";
import { type AdvertisedImage, imageName } from "./advertised-image.ts";
import type { ProposedDigests } from "./decide-proposal.ts";

/** A Release that succeeded, and the images that it gave the tag. */
export interface AdvertisedRelease {
  readonly name: string;
  readonly snapshot: string;
  readonly images: readonly AdvertisedImage[];
}

export const defaultReleasedTag = "released";

/** The plan of a Release that succeeded; undefined before, and of one that failed. */
export function succeededPlan(release: KubeObject): string | undefined {
  const { releasePlan } = specOf(release);
  const isReleased = conditionState(release, releaseConditions.released) === "succeeded";
  return isReleased && typeof releasePlan === "string" ? releasePlan : undefined;
}

/** The Releases of a plan that moved the tag, the last one first. One that came too late to move it is left out. */
export function listAdvertised(
  releases: readonly KubeObject[],
  { name, tag = defaultReleasedTag }: { readonly name: string; readonly tag?: string },
): AdvertisedRelease[] {
  return releases
    .filter((release) => succeededPlan(release) === name)
    .toSorted((a, b) => compareText(endOf(b), endOf(a)) || compareText(b.metadata.name, a.metadata.name))
    .map((release) => ({
      name: release.metadata.name,
      snapshot: String(specOf(release)["snapshot"]),
      images: taggedImages(release, tag),
    }))
    .filter(({ images }) => images.length > 0);
}

/** What the tag has now: each image as the last Release left it that moved its tag. */
export function advertisedImages(releases: readonly AdvertisedRelease[]): AdvertisedImage[] {
  const newest = new Map<string, AdvertisedImage>();
  for (const image of releases.flatMap(({ images }) => images)) {
    if (!newest.has(imageName(image))) newest.set(imageName(image), image);
  }
  return [...newest.values()].toSorted((a, b) => compareText(imageName(a), imageName(b)));
}

/** The Releases that brought these digests, each once, the last one first. */
export function releasesOf(
  digests: ProposedDigests,
  releases: readonly AdvertisedRelease[],
): readonly Omit<AdvertisedRelease, "images">[] {
  const found = new Set<AdvertisedRelease>();
  for (const [name, digest] of Object.entries(digests)) {
    const brought = releases.find(({ images }) =>
      images.some((image) => imageName(image) === name && image.digest === digest),
    );
    if (brought) found.add(brought);
  }
  return releases.filter((release) => found.has(release)).map(({ name, snapshot }) => ({ name, snapshot }));
}

function endOf(release: KubeObject): string {
  const { completionTime } = releaseStatus(release);
  return typeof completionTime === "string" ? completionTime : (release.metadata.creationTimestamp ?? "");
}

/** From `status.artifacts.images`, which pipelines of users write too: what is not of that shape is left out. */
function taggedImages(release: KubeObject, tag: string): AdvertisedImage[] {
  const { artifacts } = releaseStatus(release);
  const images = isRecord(artifacts) && Array.isArray(artifacts["images"]) ? artifacts["images"].filter(isRecord) : [];
  return images.flatMap(({ name, shasum: digest, urls }) => {
    if (typeof name !== "string" || typeof digest !== "string" || !/^sha256:[0-9a-f]{64}$/.test(digest)) return [];
    const named = Array.isArray(urls) ? urls.filter((url) => typeof url === "string" && url.endsWith(`:${tag}`)) : [];
    return named.flatMap((url) => {
      const repository = repositoryOf(String(url));
      if (repository === undefined) return [];
      // Titles have it as it is.
      const component = /^[a-z0-9](?:[-.a-z0-9]{0,61}[a-z0-9])?$/.test(name) ? { component: name } : {};
      return [{ repository, tag, digest, ...component }];
    });
  });
}

function repositoryOf(url: string): string | undefined {
  try {
    return formatRepository(parseImageReference(url));
  } catch {
    return undefined;
  }
}
