import { InputError } from "#base";
import { parseImageReference } from "#oci";
import { expandTag } from "./expand-tag.ts";
import { mapComponents, type ReleasedComponent } from "./release-mapping.ts";
import { tagsIn } from "./tags-in.ts";
import { readReleaseVerification } from "./release-verification.ts";

/** What re-tags a release, as far as it is known before there is one. */
export interface ReleaseInstructions {
  readonly data: Readonly<Record<string, unknown>>;
  readonly params: Parameters<typeof tagsIn>[0];
  /** The names of the components that may be released. */
  readonly components: readonly string[];
}

const variables = /^(?:timestamp|release_timestamp|git_sha|git_short_sha|digest_sha|labels\..+)$/;
const anyImage = parseImageReference(`registry.example/image@sha256:${"0".repeat(64)}`);

/** What is wrong with the mapping, the tags or the required signatures, whatever image they are about; undefined if nothing is. */
export function findDataProblem({ data, params, components }: ReleaseInstructions): string | undefined {
  try {
    readReleaseVerification(data);
    const released = components.map((name): ReleasedComponent => {
      return { name, image: { ...anyImage, digest: anyImage.digest ?? "" }, revision: undefined };
    });
    for (const { targets } of released.length === 0 ? [] : mapComponents(released, data, tagsIn(params))) {
      for (const { tags, where } of targets) {
        for (const tag of tags) expandTag(tag, (name) => (variables.test(name) ? "1" : undefined), where);
      }
    }
    return undefined;
  } catch (error) {
    if (error instanceof InputError) return error.message;
    throw error;
  }
}
