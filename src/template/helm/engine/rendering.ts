import type { CallContext, GoObject } from "#golang";
import type { TemplateSet } from "../../go-template/index.ts";

/** Finds an object in a cluster for the function `lookup`: an empty map if there is none, a list if `name` is empty. */
export type Lookup = (apiVersion: string, kind: string, namespace: string, name: string) => GoObject;

/** What the functions of Helm need of the rendering they are called in. */
export interface ChartRendering {
  /** The name of the set of all templates, which a text that is given to `tpl` gets too. */
  readonly name: string;
  /** The templates that `include` finds. Within `tpl` these are more: those that its text defines. */
  readonly templates: TemplateSet;
  /** How often each name is being included right now. */
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
