import { type Clock, InputError } from "#base";
import { ApiError, type KubeClient, type KubeObject } from "#kube";
import { openRegistries, type Registries } from "#oci";
import type { Propagation } from "../kinds/propagation.ts";
import { Release } from "../kinds/release.ts";
import { ReleasePlan } from "../kinds/release-plan.ts";
import type { AdvertisedImage } from "./advertised-image.ts";
import { readAdvertised } from "./plan-propagation.ts";
import { advertisedImages, type AdvertisedRelease, defaultReleasedTag, listAdvertised } from "./released-images.ts";
import { accountClient, readRegistryCredentials } from "./stage-access.ts";

/** What a Propagation follows, as of now. */
export interface AdvertisedSource {
  readonly images: readonly AdvertisedImage[];
  /** The Releases that are known of, the last one first; none if tags are followed. */
  readonly releases: readonly AdvertisedRelease[];
}

export interface SourceDeps {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: () => number;
  /** Registries, with their ports, that have no TLS. */
  readonly plainHttp: readonly string[];
  /** For Propagations without credentials, which share connections. */
  readonly anonymous: Registries;
}

/** Reads tags from their registries, or what a plan has released, with the rights of the service account. */
export function createSourceReader({ client, clock, random, plainHttp, anonymous }: SourceDeps) {
  return async function readSource(propagation: Propagation, signal: AbortSignal): Promise<AdvertisedSource> {
    const { images } = propagation.spec.source;
    if (!images) return readReleased(propagation, accountClient(propagation, client), signal);
    const known = propagation.status?.advertised?.digests ?? {};
    const credentials = await readRegistryCredentials(propagation, client, signal);
    if (!credentials) return { images: await readAdvertised(images, known, anonymous, signal), releases: [] };
    await using registries: Registries = openRegistries({ credentials, plainHttp, clock, random });
    return { images: await readAdvertised(images, known, registries, signal), releases: [] };
  };
}

async function readReleased(
  propagation: Propagation,
  client: KubeClient,
  signal: AbortSignal,
): Promise<AdvertisedSource> {
  const { namespace = "" } = propagation.metadata;
  const { name = "", tag = defaultReleasedTag } = propagation.spec.source.releasePlan ?? {};
  const releases = listAdvertised(await readReleases(namespace, client, signal), { name, tag });
  if (releases.length > 0) return { images: advertisedImages(releases), releases };
  const isThere = await explainRights(client.find({ ...kindOf(ReleasePlan), namespace, name }, signal), "releaseplans");
  throw new InputError(
    isThere ? `no Release of ReleasePlan ${name} has moved the tag ${tag} yet` : `ReleasePlan ${name} not found`,
    {
      where: "spec.source.releasePlan",
      next: isThere
        ? "wait for one, or name a tag that the plan gives; `tenon get releases` lists them"
        : `name one of namespace ${namespace}; \`tenon get releaseplans\` lists them`,
    },
  );
}

async function readReleases(
  namespace: string,
  client: KubeClient,
  signal: AbortSignal,
): Promise<readonly KubeObject[]> {
  const { items } = await explainRights(client.list({ ...kindOf(Release), namespace }, signal), "releases");
  return items;
}

function kindOf({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }) {
  return { apiVersion, kind };
}

/** Which right the service account of the Propagation lacks. */
async function explainRights<Answer>(asked: Promise<Answer>, resource: string): Promise<Answer> {
  try {
    return await asked;
  } catch (error) {
    if (!(error instanceof ApiError && error.isForbidden)) throw error;
    throw new InputError(`the service account of the Propagation may not read ${resource}: ${error.message}`, {
      where: "spec.source.releasePlan",
      next: `give it the right to get and list ${resource} in this namespace`,
    });
  }
}
