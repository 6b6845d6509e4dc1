import { type ImageFacts, parseImageReference, readImageFacts, type Registries, resolveDigest } from "#oci";
import type { ExpiringImage } from "./judge-plan.ts";

/** The label that makes a registry delete an image after a time: Quay's. */
export const expiryLabel = "quay.expires-after";

/** After which time the registry deletes an image by itself, such as `5d`; undefined if it does not. */
export function expiryOf({ config: { labels } }: ImageFacts): string | undefined {
  return labels[expiryLabel] || undefined;
}

/** Whether an image's registry deletes it by itself, or has done so. What the registry does not say is thrown. */
export async function findExpiry(
  image: string,
  registries: Registries,
  signal: AbortSignal,
): Promise<ExpiringImage | undefined> {
  const reference = parseImageReference(image);
  if ((await resolveDigest(registries, reference, signal)) === undefined) return { image };
  const after = expiryOf(await readImageFacts(registries, reference, signal));
  return after === undefined ? undefined : { image, after };
}
