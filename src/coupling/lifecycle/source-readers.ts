import { Secret } from "#base";
import type { KubeObject } from "#kube";
import { isJsonObject } from "../kinds/json-object.ts";
import type { Side } from "../kinds/names.ts";
import { identityOf, type Pair } from "../kinds/pair.ts";
import type { ResolvedMap, SourceReader } from "../sources/resolved.ts";
import type { CouplingDeps } from "./coupling-deps.ts";

/** What was secret in a look at a plug: masked wherever it might be said, for as long as this is held. */
export type HeldSecrets = Secret[];

/** Reads sources as the service account of their side. */
export function sourceReader(
  pair: Pair,
  side: Side,
  held: HeldSecrets,
  { client }: Pick<CouplingDeps, "client">,
): SourceReader {
  const acting = client.impersonate(identityOf(pair[side]));
  return {
    read: async (ref, signal) => {
      const found = await acting.find(ref, signal);
      if (found?.kind === "Secret") holdSecret(found, held);
      return found;
    },
  };
}

export function holdValues(map: ResolvedMap, held: HeldSecrets): void {
  for (const { masked } of map.values()) if (masked) held.push(masked);
}

function holdSecret({ data }: KubeObject, held: HeldSecrets): void {
  if (!isJsonObject(data)) return;
  for (const value of Object.values(data)) {
    if (typeof value === "string") held.push(new Secret(Buffer.from(value, "base64").toString("utf8")));
  }
}
