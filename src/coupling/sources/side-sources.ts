import { InputError, isRecord } from "#base";
import { describeRef, type KubeObject, refOf } from "#kube";
import { describeObject, jsonObject, type Pair, type Plug, type Side, type Socket, type Var } from "../kinds/index.ts";
import type { EmptyValue } from "./empty-values.ts";
import type { FoundSources } from "./read-sources.ts";
import {
  mergeSources,
  type OfferedValue,
  type OfferedValues,
  resolved,
  type ResolvedMap,
  type ResolvedValue,
  type SourceRef,
  textsOf,
  valueText,
} from "./resolved.ts";
import { findValue, parseValuePath } from "./value-path.ts";

type NamedField = "dataSecretName" | "dataConfigMapName" | `${"config" | "result"}${"Secret" | "ConfigMap"}Name`;

/** The sources of one side, after all of them were read. */
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
  named(field: NamedField): OfferedValues {
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

  /** `onEmpty` gets each var whose field does not exist. */
  vars(missing: "empty" | "absent", onEmpty: (empty: EmptyValue) => void = () => {}): ResolvedMap {
    const name = missing === "empty" ? "vars" : "resultVars";
    const found = (this.spec[name] ?? []).flatMap((item, index) => {
      const field = `${name}[${index}]`;
      const object = this.#objectOf(`spec.${field}`);
      return object ? [{ item, object, field }] : [];
    });
    return varValues(found, missing, describeObject(this.pair[this.side]), (message) =>
      onEmpty({ side: this.side, message }),
    );
  }

  #objectOf(field: string) {
    const ref = this.#refs.get(field);
    return ref && this.#found.get(ref);
  }
}

/** The values of a Secret or a ConfigMap. `binaryData` is ignored. */
function sourceValues(object: KubeObject): [string, OfferedValue][] {
  const isSecret = object.kind === "Secret";
  const data = isRecord(object["data"]) ? object["data"] : {};
  return Object.entries(data).flatMap(([key, value]): [string, OfferedValue][] => {
    if (typeof value !== "string") return [];
    return [[key, isSecret ? { value: Buffer.from(value, "base64").toString("utf8"), isSecret } : { value }]];
  });
}

const defaultPath = "metadata.name";

/** A var and its object. */
interface FoundVar {
  readonly item: Var;
  readonly object: KubeObject;
  /** For messages, such as `vars[0]`. */
  readonly field: string;
}

/**
 * A missing field is the empty text or, with `missing: "absent"`, no value at all, so that the plug waits for a required result
 * that depends on it. If two vars have the same name, the last one wins.
 */
function varValues(
  vars: readonly FoundVar[],
  missing: "empty" | "absent",
  owner: string,
  onEmpty: (message: string) => void,
): ResolvedMap {
  const values = new Map<string, ResolvedValue>();
  for (const { item, object, field } of vars) {
    const { value, isSecret } = readVar(item, object, `${owner} spec.${field}`);
    const text = value ?? (missing === "empty" ? "" : undefined);
    if (value === undefined) {
      const path = item.fieldref?.fieldPath || defaultPath;
      onEmpty(`spec.${field}: ${describeRef(refOf(object))} has no ${path}, and var ${item.name} is empty`);
    }
    if (text === undefined) values.delete(item.name);
    else values.set(item.name, resolved({ value: text, isSecret }, `${field} ${object.kind} ${object.metadata.name}`));
  }
  return values;
}

function readVar({ fieldref }: Var, object: KubeObject, where: string) {
  const path = fieldref?.fieldPath || defaultPath;
  try {
    const value = valueText(findValue(jsonObject(object), parseValuePath(path)));
    return { value, isSecret: object.kind === "Secret" && path !== defaultPath };
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const { next = "correct the path" } = error;
    throw new InputError(`${error.where ?? "field path"}: ${error.what}`, {
      where: `${where}.fieldref`,
      next,
      cause: error,
    });
  }
}
