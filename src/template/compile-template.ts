import { LeastRecentlyUsed } from "#base";
import { type MissingKey, type TaintTracker, TemplateSet } from "./go-template/index.ts";
import { Budget, chartLimits, type FunctionSet, type GoValue, type Limits } from "#golang";
import { disabledInPlugs, disabledInSprig, plugFunctions, sprigFunctions } from "./sprig/index.ts";

export interface TemplateOptions {
  /** The name in error messages; default: `template`. */
  readonly name?: string;
  /** The delimiters of actions; default: `{{` and `}}`. */
  readonly left?: string;
  readonly right?: string;
  /** The value of a missing key, as Go's option `missingkey` sets it; `empty` is an addition that prints nothing. */
  readonly missingKey?: MissingKey;
  /** Functions besides Go's own: none, sprig 3.3, those of Plugs and Sockets (sprig 2.22), or a custom set. */
  readonly functions?: "go" | "sprig" | "plug" | FunctionSet;
  /** The limits of a rendering; default: those of charts. */
  readonly limits?: Limits;
}

export interface ExecuteOptions {
  /** The clock of `now` and `ago`, in milliseconds since 1970. */
  readonly now?: () => number;
  /** Passed to the functions of a custom set, in their context. */
  readonly host?: Readonly<Record<string, unknown>>;
  readonly secrets?: TaintTracker;
}

/** A parsed template. */
export interface ExecutableTemplate {
  /** Renders it. Numbers of plain JSON are Go's float64; see `integersOf`. Throws a `TemplateError`. */
  execute(data: GoValue, options?: ExecuteOptions): string;
}

const noFunctions: FunctionSet = new Map();
const templatesRemembered = 500;
const remembered = new WeakMap<FunctionSet, LeastRecentlyUsed<string, TemplateSet>>();

/** Parses one Go template, or takes it from a cache. Throws a `TemplateError` with Go's own message. */
export function compileTemplate(text: string, options: TemplateOptions = {}): ExecutableTemplate {
  const { name = "template", left = "", right = "", missingKey = "default", limits = chartLimits } = options;
  const { functions, disabled } = functionsOf(options.functions ?? "go");
  const known = remembered.get(functions) ?? new LeastRecentlyUsed<string, TemplateSet>(templatesRemembered);
  remembered.set(functions, known);
  const set = known.get(JSON.stringify([name, left, right, missingKey, text]), () => {
    const made = new TemplateSet({ name, left, right, missingKey, functions, disabled, limits });
    made.parse(name, text);
    return made;
  });
  return {
    execute(data, { now = Date.now, host = {}, secrets } = {}) {
      const context = { budget: new Budget(limits), now, host };
      return set.execute(name, data, secrets ? { context, secrets } : { context });
    },
  };
}

function functionsOf(functions: "go" | "sprig" | "plug" | FunctionSet): {
  readonly functions: FunctionSet;
  readonly disabled: ReadonlySet<string>;
} {
  if (functions === "sprig") return { functions: sprigFunctions, disabled: disabledInSprig };
  if (functions === "plug") return { functions: plugFunctions, disabled: disabledInPlugs };
  return { functions: functions === "go" ? noFunctions : functions, disabled: new Set() };
}
