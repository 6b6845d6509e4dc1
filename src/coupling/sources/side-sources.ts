import type { Side } from "../kinds/names.ts";
import { describeObject, type Pair } from "../kinds/pair.ts";
import type { Plug } from "../kinds/plug.ts";
import type { Socket } from "../kinds/socket.ts";
import { mergeSources, type Source, textsOf } from "./merge-sources.ts";
import type { FoundSources } from "./read-sources.ts";
import type { ResolvedMap, SourceRef } from "./resolved.ts";
import { sourceValues } from "./source-values.ts";
import { varValues } from "./vars.ts";

type NamedField = "dataSecretName" | "dataConfigMapName" | `${"config" | "result"}${"Secret" | "ConfigMap"}Name`;

/** The sources of one side, after all of them were found. */
export class SideSources {
  readonly pair: Pair;
  readonly side: Side;
  readonly spec: (Plug | Socket)["spec"];
  readonly #refs: ReadonlyMap<string, SourceRef>;
  readonly #found: FoundSources;

  constructor(pair: Pair, side: Side, refs: readonly SourceRef[], found: FoundSources) {
    this.pair = pair;
    this.side = side;
    this.spec = pair[side].spec;
    this.#refs = new Map(refs.filter((ref) => ref.side === side).map((ref) => [ref.field, ref]));
    this.#found = found;
  }

  /** The Secret or ConfigMap that a field names. */
  named(field: NamedField): Source {
    const object = this.#objectOf(`spec.${field}`);
    return { source: `${field} ${object?.metadata.name ?? ""}`, values: object ? sourceValues(object) : [] };
  }

  data(): ResolvedMap {
    return mergeSources([
      this.named("dataSecretName"),
      { source: "data", values: textsOf(this.spec.data) },
      this.named("dataConfigMapName"),
    ]);
  }

  vars(missing: "empty" | "absent"): ResolvedMap {
    const name = missing === "empty" ? "vars" : "resultVars";
    const found = (this.spec[name] ?? []).flatMap((item, index) => {
      const field = `${name}[${index}]`;
      const object = this.#objectOf(`spec.${field}`);
      return object ? [{ item, object, field }] : [];
    });
    return varValues(found, missing, describeObject(this.pair[this.side]));
  }

  #objectOf(field: string) {
    const ref = this.#refs.get(field);
    return ref && this.#found.get(ref);
  }
}
