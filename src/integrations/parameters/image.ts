import { InputError } from "#base";

/** Where images of integrations come from if nobody says otherwise: as qontract-reconcile has it. */
export const defaultImage = "quay.io/app-sre/qontract-reconcile";
export const defaultUpstream = "https://github.com/app-sre/qontract-reconcile";

/** Reads `ENVIRONMENT=REF`, once for each environment. */
export function parseImageTagFromRef(words: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    words.map((word) => {
      const [environment = "", ref = "", ...more] = word.split("=");
      if (environment !== "" && ref !== "" && more.length === 0) return [environment, ref];
      throw new InputError(`expected ENVIRONMENT=REF, got ${JSON.stringify(word)}`, {
        where: "--image-tag-from-ref",
        next: "write it like stage=main",
      });
    }),
  );
}

/** What follows the tag of an image: nothing if there is no digest. */
export function atDigest(digest: string): string {
  return digest === "" ? "" : `@${digest}`;
}
