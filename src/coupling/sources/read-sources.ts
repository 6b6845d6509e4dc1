import { InputError } from "#base";
import type { KubeObject } from "#kube";
import type { Side } from "../kinds/names.ts";
import type { SourceReader, SourceRef } from "./resolved.ts";

/** What was found of the sources of an attempt. */
export class FoundSources {
  readonly #found: ReadonlyMap<string, KubeObject | undefined>;

  constructor(found: ReadonlyMap<string, KubeObject | undefined>) {
    this.#found = found;
  }

  get(ref: SourceRef): KubeObject | undefined {
    return this.#found.get(keyOf(ref));
  }
}

/** Each object once for each side, all at the same time. Of several failures the first in order is thrown. */
export async function readSources(
  refs: readonly SourceRef[],
  reader: (side: Side) => SourceReader,
  signal: AbortSignal,
): Promise<FoundSources> {
  const distinct = new Map(refs.map((ref) => [keyOf(ref), ref]));
  const readings = [...distinct].map(async ([key, ref]) => {
    const { apiVersion, kind, namespace, name } = ref;
    const reading = reader(ref.side).read({ apiVersion, kind, namespace, name }, signal);
    return [key, await reading.catch(atField(ref))] as const;
  });
  const settled = await Promise.allSettled(readings);
  const failed = settled.find((each) => each.status === "rejected");
  if (failed) throw failed.reason;
  return new FoundSources(new Map(settled.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []))));
}

/** Who is to correct it must find it. */
function atField({ side, field }: SourceRef): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof InputError)) throw error;
    const { what, where, next } = error;
    throw new InputError(where === undefined ? what : `${where}: ${what}`, {
      where: `${side} ${field}`,
      ...(next === undefined ? {} : { next }),
      cause: error,
    });
  };
}

function keyOf({ side, apiVersion, kind, namespace, name }: SourceRef): string {
  return [side, apiVersion, kind, namespace, name].join("\0");
}
