import { LeastRecentlyUsed } from "#base";
import {
  Budget,
  type CallContext,
  canonicalBytes,
  chartLimits,
  type FunctionSet,
  type GoValue,
  LimitError,
  type Limits,
  quote,
} from "#golang";
import type { ActionObserver } from "./action-observer.ts";
import { builtins } from "./builtins.ts";
import type { CompileOptions } from "./compile-expression.ts";
import { compileTree, compileValue } from "./compile-tree.ts";
import {
  type CompiledTemplate,
  explained,
  explainedAtLast,
  Frame,
  type MissingKey,
  Run,
  type TemplateSource,
  type Walk,
} from "./frame.ts";
import { isEmptyTree, type Tree } from "./syntax-tree.ts";
import type { TaintTracker } from "./secret-marks.ts";
import { isExhaustion, TemplateError } from "./template-error.ts";
import type { ParseSettings } from "./token-reader.ts";
import { parseTemplate } from "./tree-parser.ts";

export interface ParseOptions {
  /** The left delimiter, `{{` if none is given. */
  readonly left?: string;
  readonly right?: string;
  readonly functions: FunctionSet;
  /** Names that are refused when a template is parsed. */
  readonly disabled?: ReadonlySet<string>;
  /** `endif`, `endrange`, `endwith`, `endblock` and `enddefine` are spellings of `end`. */
  readonly endWords?: boolean;
  /** What parsing a text, and compiling one of its templates, may use up; default: the limits of charts. */
  readonly limits?: Limits;
}

export interface TemplateSetOptions extends ParseOptions {
  /** What a key that a map lacks gives; `empty` never prints `<no value>`. */
  readonly missingKey?: MissingKey;
  /** Templates report to observers what their actions read. */
  readonly reportsOperands?: boolean;
  /** The name of the set itself, for the message about an undefined template. */
  readonly name?: string;
}

/** What one rendering runs with. */
export interface Execution {
  readonly context: CallContext;
  /** Notified of what the template reads; see `SecretMarks`. */
  readonly secrets?: TaintTracker;
  readonly observers?: readonly ActionObserver[];
}

/** One template of a set. */
export interface Template {
  /** Renders it. Throws a `TemplateError`, also for an exceeded limit of the budget. */
  execute(data: GoValue, execution: Execution): string;
}

const textsRemembered = 200;
/** Longer ones are parsed each time, as in Helm: their trees take dozens of times as much memory. */
const longestRemembered = 16_384;

/** Templates of earlier generations: never changed, so that clones can share them. */
interface Layer {
  readonly entries: ReadonlyMap<string, TemplateEntry>;
  readonly below: Layer | undefined;
}

/** Go's `template.Template` with the templates that belong to it. */
export class TemplateSet {
  readonly #options: TemplateSetOptions;
  readonly #settings: ParseSettings;
  /** A cache of parsed texts, shared with clones: Helm's `tpl` parses the same few again and again. */
  #parsed = new LeastRecentlyUsed<string, ReadonlyMap<string, TemplateEntry>>(textsRemembered);
  #own = new Map<string, TemplateEntry>();
  #below: Layer | undefined;
  readonly #source: TemplateSource = { find: (name) => this.#find(name)?.compiled };

  constructor(options: TemplateSetOptions) {
    this.#options = options;
    const { functions, disabled } = options;
    const native = builtins();
    this.#settings = {
      left: options.left || "{{",
      right: options.right || "}}",
      endWords: options.endWords ?? false,
      isFunction: (name) => functions.has(name) || native.has(name),
      isDisabled: (name) => disabled?.has(name) ?? false,
    };
  }

  /**
   * Adds a template and those that its text defines, and returns the template. An empty template is returned, too, but does not
   * replace another of its name. Throws a `TemplateError`, also for an exceeded limit of the budget.
   */
  parse(name: string, text: string, budget = new Budget(this.#options.limits ?? chartLimits)): Template {
    const entries =
      text.length > longestRemembered
        ? this.#parse(name, text, budget)
        : this.#parsed.get(`${name}\0${text}`, () => this.#parse(name, text, budget));
    for (const [defined, entry] of entries) {
      if (!isEmptyTree(entry.tree.root) || !this.has(defined)) this.#own.set(defined, entry);
    }
    const main = entries.get(name) ?? this.#named(name);
    return { execute: (data, execution) => this.#execute(main, data, execution) };
  }

  #parse(name: string, text: string, budget: Budget): ReadonlyMap<string, TemplateEntry> {
    const { functions, missingKey = "default", reportsOperands, limits = chartLimits } = this.#options;
    const options = { functions, missingKey, reportsOperands };
    const trees = parseTemplate(name, text, this.#settings, budget);
    return new Map([...trees].map(([defined, tree]) => [defined, new TemplateEntry(tree, options, limits)]));
  }

  has(name: string): boolean {
    return this.#find(name) !== undefined;
  }

  names(): string[] {
    const names = new Set(this.#own.keys());
    for (let layer = this.#below; layer; layer = layer.below) for (const name of layer.entries.keys()) names.add(name);
    return [...names];
  }

  /** A set that starts with the same templates; what is parsed into one later is not seen by the other. */
  clone(): TemplateSet {
    if (this.#own.size > 0) {
      this.#below = { entries: this.#own, below: this.#below };
      this.#own = new Map();
    }
    const clone = new TemplateSet(this.#options);
    clone.#below = this.#below;
    clone.#parsed = this.#parsed;
    return clone;
  }

  /** Renders a template. Throws a `TemplateError`, also for an exceeded limit of the budget. */
  execute(name: string, data: GoValue, execution: Execution): string {
    return this.#execute(this.#named(name), data, execution);
  }

  /** Whether a template is exactly one action, without text around it, that declares nothing. */
  isOneAction(name: string): boolean {
    return this.#named(name).value !== undefined;
  }

  /** The value of a template that is exactly one action; `undefined` if what it reads is missing or nil. */
  evaluate(name: string, data: GoValue, execution: Execution): GoValue {
    const { value } = this.#named(name);
    if (!value) throw new TypeError(`template ${quote(name)} is not one action`);
    return runTemplate(value, data, this.#run(execution));
  }

  #execute(entry: TemplateEntry, data: GoValue, execution: Execution): string {
    const run = this.#run(execution);
    runTemplate(entry.compiled, data, run);
    return canonicalBytes(run.output);
  }

  #run({ context, secrets, observers }: Execution): Run {
    return new Run(this.#source, context, secrets, observers);
  }

  #find(name: string): TemplateEntry | undefined {
    const own = this.#own.get(name);
    if (own) return own;
    for (let layer = this.#below; layer; layer = layer.below) {
      const entry = layer.entries.get(name);
      if (entry) return entry;
    }
    return undefined;
  }

  #named(name: string): TemplateEntry {
    const entry = this.#find(name);
    if (entry) return entry;
    const text = `template: no template ${quote(name)} associated with template ${quote(this.#options.name ?? "")}`;
    throw new TemplateError(text, { phase: "execute", templateName: name });
  }
}

/** One template of a set, compiled when it is first needed. Sets that were cloned share it. */
class TemplateEntry {
  readonly tree: Tree;
  readonly #options: CompileOptions;
  readonly #limits: Limits;
  #compiled: CompiledTemplate<Walk> | undefined;
  #value: ReturnType<typeof compileValue> | "none";

  constructor(tree: Tree, options: CompileOptions, limits: Limits) {
    this.tree = tree;
    this.#limits = limits;
    this.#options = options;
  }

  get compiled(): CompiledTemplate<Walk> {
    this.#compiled ??= this.#compile((budget) => compileTree(this.tree, this.#options, budget));
    return this.#compiled;
  }

  /** Its value, if it is exactly one action. */
  get value(): ReturnType<typeof compileValue> {
    this.#value ??= this.#compile((budget) => compileValue(this.tree, this.#options, budget)) ?? "none";
    return this.#value === "none" ? undefined : this.#value;
  }

  #compile<Result>(compile: (budget: Budget) => Result): Result {
    try {
      return compile(new Budget(this.#limits));
    } catch (error) {
      const isBeyondLimit = error instanceof LimitError;
      if (!isBeyondLimit && !isExhaustion(error)) throw error;
      const { name } = this.tree;
      const text = `template: ${name}: ${isBeyondLimit ? error.message : "is nested too deeply"}`;
      throw new TemplateError(text, { phase: "execute", templateName: name, cause: error });
    }
  }
}

/** Runs a compiled template one level below the current depth. */
function runTemplate<Result>(
  { tree, body }: CompiledTemplate<(frame: Frame, dot: GoValue) => Result>,
  data: GoValue,
  run: Run,
): Result {
  const dot = data ?? undefined;
  const frame = new Frame(run, tree, dot);
  const { budget } = run;
  const { depth } = budget;
  try {
    budget.enter();
    return body(frame, dot);
  } catch (error) {
    throw depth === 0 ? explainedAtLast(frame, error) : explained(frame, error);
  } finally {
    budget.returnTo(depth);
  }
}
