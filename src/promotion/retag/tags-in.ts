/** The tags that the parameters of a re-tag pipeline add to those of the mapping. */
export function tagsIn(params: readonly { readonly name: string; readonly value: string }[]): string[] {
  return params
    .filter(({ name }) => name === "tags")
    .flatMap(({ value }) => value.split(","))
    .map((tag) => tag.trim())
    .filter((tag) => tag !== "");
}
