import { LeastRecentlyUsed } from "#base";
import {
  type Execution,
  ForeignOutput,
  type Insertion,
  type IsOwn,
  SecretWatch,
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
import { disabledInPlugs, plugFunctions } from "../sprig/index.ts";
import type { PlugData } from "./plug-data.ts";

/** What a rendering was made of. */
export interface Origin {
  /** Something secret was read on the way. */
  readonly isSecret: boolean;
  /** It would be different the next time: random or the clock were asked. */
  readonly isUnstable: boolean;
}

export interface Rendered<Text> extends Origin {
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

/** What of the data is the author's own, and what stands in for all else. */
export interface Apart {
  readonly isOwn: IsOwn;
  readonly standIn: (insertion: Insertion) => string;
}

/** A function that gives something else each time tells the rendering so. */
class PlugContext implements CallContext {
  readonly budget: Budget;
  readonly now: () => number;
  readonly host = {};
  isUnstable = false;

  constructor({ limits = tenantLimits, budget = new Budget(limits), now = Date.now }: PlugOptions) {
    this.budget = budget;
    this.now = now;
  }
}

const functions = new Map([...plugFunctions].map(([name, known]) => [name, known.unstable ? telling(known) : known]));

function telling(known: GoFunction): GoFunction {
  return {
    ...known,
    call(args, context) {
      if (context instanceof PlugContext) context.isUnstable = true;
      return known.call(args, context);
    },
  };
}

/** The functions that change a map they are given. */
const changing = /\b(?:set|unset|merge|mergeOverwrite)\b/;

const compiled = new LeastRecentlyUsed<string, TemplateSet>(1_000);

/** A template between `{%` and `%}`, as Plugs and Sockets have them; `endif` and its like are spellings of `end`. */
export class PlugTemplate {
  readonly #set: TemplateSet;
  readonly #name: string;
  readonly #options: PlugOptions;
  readonly #onlyReads: boolean;

  constructor(text: string, options: PlugOptions = {}) {
    this.#options = options;
    this.#name = options.name ?? "template";
    this.#onlyReads = !changing.test(text);
    this.#set = compiled.get(`${this.#name}\0${text}`, () => compile(this.#name, text));
  }

  /** The text it renders to. What is missing is printed as nothing. */
  render(data: PlugData): Rendered<string> {
    return this.#run(data, (root, execution) => this.#set.execute(this.#name, root, execution));
  }

  /**
   * The same, and beside it the text that it would be if something stood in for whatever is not its author's own. The words of
   * the author, and the ways that conditions and loops go, are the same in both.
   */
  renderApart(data: PlugData, { isOwn, standIn }: Apart): Rendered<string> & { readonly apart: string } {
    const foreign = new ForeignOutput(this.#onlyReads ? isOwn : undefined, standIn);
    const rendered = this.#run(data, (root, execution) =>
      this.#set.execute(this.#name, root, { ...execution, foreign }),
    );
    return { ...rendered, apart: foreign.text };
  }

  /** The same, but `undefined` where the template is nothing but one action and what it asks for is missing. */
  renderIfPresent(data: PlugData): Rendered<string | undefined> {
    if (!this.#set.isOneAction(this.#name)) return this.render(data);
    return this.#run(data, (root, execution) => {
      const value = this.#set.evaluate(this.#name, root, execution);
      if (value === undefined || value === null) return undefined;
      execution.secrets?.use(value);
      return printValue(value);
    });
  }

  #run<Text extends string | undefined>(
    data: PlugData,
    render: (root: GoValue, execution: Execution) => Text,
  ): Rendered<Text> {
    return data.render(this.#name, () => {
      const { root, secrets: marks } = this.#onlyReads ? data.shared : data.copy();
      const context = new PlugContext(this.#options);
      const secrets = new SecretWatch(marks);
      const text = render(root, { context, secrets });
      return { text, isSecret: secrets.tainted, isUnstable: context.isUnstable };
    });
  }
}

function compile(name: string, text: string): TemplateSet {
  const set = new TemplateSet({
    left: "{%",
    right: "%}",
    functions,
    disabled: disabledInPlugs,
    endWords: true,
    missingKey: "empty",
    tellsOperands: true,
    name,
  });
  set.parse(name, text);
  return set;
}
