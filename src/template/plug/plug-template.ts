import { LeastRecentlyUsed } from "#base";
import {
  type ActionObserver,
  builtins,
  type Execution,
  type MissingRead,
  MissingReads,
  TaintTracker,
  TemplateSet,
} from "../go-template/index.ts";
import {
  Budget,
  type CallContext,
  type GoFunction,
  type GoValue,
  type Limits,
  printValue,
  tenantLimits,
} from "#golang";
import { keepsPlace } from "../keeps-place.ts";
import { disabledInPlugs, type KeySource, KeyStock, plugFunctions, takeKeysFrom } from "../sprig/index.ts";
import type { PlugData } from "./plug-data.ts";

/** Properties of a rendering that decide how its result is handled. */
export interface RenderingTraits {
  /** The template read something secret. */
  readonly isSecret: boolean;
  /** It differs from run to run, because the template used random numbers or the clock. */
  readonly isUnstable: boolean;
  /** Fields without a value that it printed. */
  readonly missing: readonly MissingRead[];
}

export interface PlugRendering<Text> extends RenderingTraits {
  readonly text: Text;
}

export interface PlugOptions {
  /** For messages: the object and the field, such as `Socket db/main spec.configTemplate.url`. */
  readonly name?: string;
  readonly limits?: Limits;
  /** The clock of `now`; in milliseconds since 1970. */
  readonly now?: () => number;
  /** One budget for several renderings, such as the strings of an object; by default each has its own. */
  readonly budget?: Budget;
}

const missingKey = "empty";
const keys = new KeyStock();
const takeKey: KeySource = (kind) => keys.take(kind);

/** Records whether a function ran whose result differs from run to run. */
class PlugContext implements CallContext {
  readonly budget: Budget;
  readonly now: () => number;
  readonly host: CallContext["host"] = {};
  isUnstable = false;

  constructor({ limits = tenantLimits, budget = new Budget(limits), now = Date.now }: PlugOptions) {
    this.budget = budget;
    this.now = now;
    takeKeysFrom(takeKey, this.host);
  }
}

const functions = new Map([...plugFunctions].map(([name, known]) => [name, known.unstable ? recorded(known) : known]));

function recorded(known: GoFunction): GoFunction {
  return {
    ...known,
    call(args, context) {
      if (context instanceof PlugContext) context.isUnstable = true;
      return known.call(args, context);
    },
  };
}

/** Whether the function that plug templates call by this name is one of `keepingPlace`. */
export function keepsPlaceInPlugs(name: string): boolean {
  const declared = functions.get(name) ?? builtins(missingKey).get(name);
  return declared !== undefined && keepsPlace(declared);
}

/** The functions that change a map they are given. */
const changing = /\b(?:set|unset|merge|mergeOverwrite)\b/;

const compiled = new LeastRecentlyUsed<string, TemplateSet>(1_000);

/** A template of a Plug or Socket, with `{%` and `%}`; `endif` and the like are spellings of `end`. */
export class PlugTemplate {
  readonly #set: TemplateSet;
  readonly #name: string;
  readonly #options: PlugOptions;
  /** It calls no function that changes a map of its data. */
  readonly onlyReads: boolean;

  constructor(text: string, options: PlugOptions = {}) {
    this.#options = options;
    this.#name = options.name ?? "template";
    this.onlyReads = !changing.test(text);
    this.#set = compiled.get(`${this.#name}\0${text}`, () => compile(this.#name, text, options.limits));
  }

  /** The text that it renders to. A missing value prints as nothing. */
  render(data: PlugData, observer?: ActionObserver): PlugRendering<string> {
    return this.#run(data, (root, execution) => this.#set.execute(this.#name, root, execution), observer);
  }

  /** The same, but `undefined` if the template is a single action whose value is missing. */
  renderIfPresent(data: PlugData): PlugRendering<string | undefined> {
    if (!this.#set.isOneAction(this.#name)) return this.render(data);
    return this.#run(data, (root, execution) => {
      const value = this.#set.evaluate(this.#name, root, execution);
      if (value === undefined || value === null) return undefined;
      execution.secrets?.use(value);
      return printValue(value, execution.context.budget);
    });
  }

  #run<Text extends string | undefined>(
    data: PlugData,
    render: (root: GoValue, execution: Execution) => Text,
    observer?: ActionObserver,
  ): PlugRendering<Text> {
    return data.render(this.#name, (count) => {
      const { root, secrets: marks } = this.onlyReads ? data.shared : data.copy();
      const context = new PlugContext(this.#options);
      const secrets = new TaintTracker(marks);
      const missing = new MissingReads();
      const before = context.budget.steps;
      try {
        const text = render(root, { context, secrets, observers: observer ? [missing, observer] : [missing] });
        return { text, isSecret: secrets.tainted, isUnstable: context.isUnstable, missing: missing.found };
      } finally {
        count(context.budget.steps - before);
      }
    });
  }
}

function compile(name: string, text: string, limits: Limits = tenantLimits): TemplateSet {
  const set = new TemplateSet({
    left: "{%",
    right: "%}",
    functions,
    disabled: disabledInPlugs,
    endWords: true,
    missingKey,
    reportsOperands: true,
    limits,
    name,
  });
  set.parse(name, text);
  return set;
}
