import { InputError } from "#base";
import { parseTag } from "#oci";

/** What `{{ name }}` in a tag stands for; undefined if the image or the Snapshot does not say. */
export type TagVariables = (name: string) => string | undefined;

const longestTemplate = 512;
/** Tags by which signatures, attestations and lists of referrers are found. */
const companionTag = /^sha(?:256|512)-[0-9a-f]{64}/;

/** Puts values in place of `{{ name }}`, and refuses a text that is not a tag then. */
export function expandTag(template: string, variables: TagVariables, where: string): string {
  if (template.length > longestTemplate) {
    throw new InputError(`a tag has ${template.length} characters`, {
      where,
      next: `use at most ${longestTemplate}, variables included`,
    });
  }
  const text = template.replaceAll(/\{\{([^{}]*)\}\}/g, (whole, inner: string) => {
    const name = inner.trim();
    const value = variables(name);
    if (value !== undefined && value !== "") return value;
    throw new InputError(`the variable ${whole} of the tag ${JSON.stringify(template)} has no value`, {
      where,
      next: "use timestamp, release_timestamp, git_sha, git_short_sha, digest_sha, or labels.NAME of a label that the image has",
    });
  });
  const tag = parseTag(text, where);
  if (!companionTag.test(tag)) return tag;
  throw new InputError(`the tag ${JSON.stringify(tag)} is one by which signatures are found`, {
    where,
    next: "choose another tag, such as {{ digest_sha }}",
  });
}
