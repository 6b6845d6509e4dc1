import { Budget, chartLimits, type FunctionSet, type GoValue, type Limits } from "#golang";
import type { TaintTracker } from "./secret-marks.ts";
import { type Execution, TemplateSet, type TemplateSetOptions } from "./template-set.ts";

export interface RenderOptions extends Partial<TemplateSetOptions> {
  readonly limits?: Limits;
  readonly secrets?: TaintTracker;
  readonly functions?: FunctionSet;
}

/** The execution of a test, with a fixed clock. */
export function testExecution(limits: Limits = chartLimits, secrets?: TaintTracker): Execution {
  const context = { budget: new Budget(limits), now: () => 0, host: {} };
  return secrets ? { context, secrets } : { context };
}

/** Parses and renders one text, for tests. */
export function renderText(text: string, data: GoValue = {}, options: RenderOptions = {}): string {
  const set = new TemplateSet({ functions: new Map(), ...options });
  return set.parse("t", text).execute(data, testExecution(options.limits, options.secrets));
}
