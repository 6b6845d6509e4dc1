import { type FieldPath, InputError, type JsonValue } from "#base";
import { SecretMarks } from "../go-template/index.ts";
import { elementsOf, type GoObject, type GoValue, Int, isGoObject, LimitError, newMap } from "#golang";

/** Data as templates see it, and which of it is secret. */
export interface MarkedData {
  readonly root: GoObject;
  readonly secrets: SecretMarks;
}

/** The limits for all renderings of one attempt together. */
const sharedLimits = { steps: 2_000_000, output: 8 << 20 };

/**
 * What all templates of one attempt see. Integers stay integers, as in Kubernetes' own decoder, so that 1234567 is not
 * printed as 1.234567e+06.
 */
export class PlugData {
  readonly #data: { readonly [key: string]: JsonValue };
  readonly #secrets: readonly FieldPath[];
  #shared: MarkedData | undefined;
  #steps = 0;
  #written = 0;

  /** `secrets` are the paths of values that came from a Secret: a rendering that reads one reports it. */
  constructor(data: { readonly [key: string]: JsonValue }, secrets: readonly FieldPath[] = []) {
    this.#data = data;
    this.#secrets = secrets;
  }

  /**
   * Runs one rendering with this data, within the limits for all of them. Each rendering has limits of its own, but an object
   * may hold thousands of templates, and rendering blocks the process. It reports the
   * steps that it took.
   */
  render<Result extends { readonly text: string | undefined }>(
    name: string,
    render: (count: (steps: number) => void) => Result,
  ): Result {
    this.#refuseBeyondBounds(name);
    const rendered = render((steps) => void (this.#steps += steps));
    this.#written += rendered.text?.length ?? 0;
    return rendered;
  }

  #refuseBeyondBounds(where: string): void {
    const problem =
      this.#steps > sharedLimits.steps
        ? `take more than ${sharedLimits.steps} steps`
        : this.#written > sharedLimits.output
          ? `write more than ${sharedLimits.output} characters`
          : undefined;
    if (problem === undefined) return;
    throw new InputError(`the templates before this one already ${problem}`, {
      where,
      next: "write fewer or simpler templates",
      cause: new LimitError(`${this.#steps} steps and ${this.#written} characters so far`),
    });
  }

  /** For templates that only read. It is frozen, so that no template can change what another one sees. */
  get shared(): MarkedData {
    if (this.#shared) return this.#shared;
    this.#shared = this.#marked(frozenValue);
    Object.freeze(this.#shared.root);
    return this.#shared;
  }

  /** For a template that may change its data by `set` and the like. */
  copy(): MarkedData {
    return this.#marked(toGoValue);
  }

  #marked(convert: (value: JsonValue) => GoValue): MarkedData {
    const root = newMap(Object.entries(this.#data).map(([key, value]) => [key.toWellFormed(), convert(value)]));
    const secrets = new SecretMarks();
    for (const path of this.#secrets) markPath(secrets, root, path);
    if (this.#secrets.length > 0) secrets.hold(root);
    return { root, secrets };
  }
}

/** A path to nothing marks nothing. */
function markPath(marks: SecretMarks, root: GoObject, path: FieldPath): void {
  let container: GoValue = root;
  for (const key of path.slice(0, -1)) container = childOf(container, key);
  const last = path.at(-1);
  if (last !== undefined && typeof container === "object" && container !== null) marks.mark(container, last);
}

function childOf(container: GoValue, key: string | number): GoValue {
  if (typeof key === "number") return elementsOf(container)?.[key];
  return isGoObject(container) && Object.hasOwn(container, key) ? container[key] : undefined;
}

function toGoValue(value: JsonValue): GoValue {
  if (typeof value === "number") return Number.isSafeInteger(value) ? new Int("int64", BigInt(value)) : value;
  // Go's decoder replaces lone surrogates; here they would stand for bytes.
  if (typeof value === "string") return value.toWellFormed();
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(toGoValue);
  return newMap(Object.entries(value).map(([key, item]) => [key.toWellFormed(), toGoValue(item)]));
}

const frozenValues = new WeakMap<object, GoValue>();

/** Cached for each object, because many attempts see the same large ones, such as a socket that lists a thousand plugs. */
function frozenValue(value: JsonValue): GoValue {
  if (typeof value !== "object" || value === null) return toGoValue(value);
  const known = frozenValues.get(value);
  if (known !== undefined) return known;
  const made = toGoValue(value);
  freeze(made);
  frozenValues.set(value, made);
  return made;
}

function freeze(value: GoValue): void {
  if (typeof value !== "object" || value === null || value instanceof Int) return;
  Object.freeze(value);
  for (const child of Object.values(value)) freeze(child);
}
