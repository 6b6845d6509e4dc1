/** The handles of a document's tags: the two that every document has, and those that `%TAG` declares. */
export class TagHandles {
  readonly #prefixes = new Map<string, string>();
  #hasVersion = false;

  /** Takes up a `%YAML` line. Returns what is wrong with it, if something is. */
  declareVersion(version: string): string | undefined {
    if (this.#hasVersion) return "found duplicate %YAML directive";
    this.#hasVersion = true;
    return version === "1.1" ? undefined : "found incompatible YAML document";
  }

  /** Takes up a `%TAG` line. Returns what is wrong with it, if something is. */
  declare(handle: string, prefix: string): string | undefined {
    if (this.#prefixes.has(handle)) return "found duplicate %TAG directive";
    this.#prefixes.set(handle, prefix);
    return undefined;
  }

  /** The whole tag, or `undefined` if its handle was never declared. */
  resolve(handle: string, suffix: string): string | undefined {
    if (handle === "") return suffix;
    const prefix = this.#prefixes.get(handle) ?? standardPrefixes.get(handle);
    return prefix === undefined ? undefined : prefix + suffix;
  }
}

const standardPrefixes = new Map([
  ["!", "!"],
  ["!!", "tag:yaml.org,2002:"],
]);
