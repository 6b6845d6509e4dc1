import type { CallContext, GoObject } from "#golang";
import type { TemplateSet } from "../../go-template/index.ts";

/** Finds an object in a cluster for the function `lookup`: an empty map if there is none, a list if `name` is empty. */
export type Lookup = (apiVersion: string, kind: string, namespace: string, name: string) => GoObject;

/** The state of a rendering that Helm's functions need. */
export interface ChartRendering {
  /** The name of the set of all templates, and of text passed to `tpl`. */
  readonly name: string;
  /** The templates that `include` finds. Within `tpl` they include those that its text defines. */
  readonly templates: TemplateSet;
  /** The current depth of includes of each name. */
  readonly included: Map<string, number>;
  readonly lookup: Lookup;
}

/** What Helm calls the set of a chart's templates. */
export const setName = "gotpl";

const renderings = new WeakMap<CallContext["host"], ChartRendering>();

/** The context in which templates of this rendering are executed. */
export function contextOf(
  rendering: ChartRendering,
  { budget, now }: Pick<CallContext, "budget" | "now">,
): CallContext {
  const host = {};
  renderings.set(host, rendering);
  return { budget, now, host };
}

/** The rendering that a function is called in. */
export function renderingOf({ host }: CallContext): ChartRendering {
  const rendering = renderings.get(host);
  if (!rendering) throw new TypeError("a function of Helm is called outside of a rendering");
  return rendering;
}
