/**
 * The guard for templates that print data of another author, such as a Socket's template that prints values of a Plug.
 * Beside its text, a rendering gets a second output that differs in one thing only: where an action may print data of another
 * author, it holds a placeholder that the host chooses. Both outputs take the same branches and loops, because conditions see
 * the real data. So a host can parse both and refuse a rendering whose structure depends on a value of another author.
 * An action counts as untrusted if any data that it reads may be; only what is certainly the author's is printed as it is.
 */
import { byteLength, canonicalBytes, type GoValue } from "#golang";
import {
  type ActionNode,
  type ActionObserver,
  type ActionRun,
  isExhaustion,
  nodeText,
  OutputBuffer,
  partsOf,
  type PipeNode,
  TemplateError,
  type Tree,
  withoutParentheses,
} from "#template";
import { type IsAuthorData, untrustedActions } from "./untrusted-actions.ts";

/** An action that may print data of another author. */
interface UntrustedAction {
  /** As messages show it. */
  readonly action: string;
  /** The last function of its pipeline, and the number that is its first argument. */
  readonly last?: { readonly name: string; readonly number: number | undefined };
  /** All functions that it calls. */
  readonly functions: readonly string[];
  /** All string constants in it. */
  readonly texts: readonly string[];
}

/** What such an action printed. */
export interface UntrustedInsertion extends UntrustedAction {
  readonly text: string;
  /** The character right before it; none at the beginning. */
  readonly before: string;
  /** The values that it read; `undefined` if they cannot be computed. */
  readonly operands: () => readonly GoValue[] | undefined;
}

type Actions = ReadonlySet<ActionNode>;

/** The output of a rendering with placeholders for data of other authors. */
export class PlaceholderOutput implements ActionObserver {
  readonly #isAuthorData: IsAuthorData | undefined;
  readonly #placeholderFor: (insertion: UntrustedInsertion) => string;
  readonly #output = new OutputBuffer();
  readonly #actions = new Map<Tree, Actions>();
  readonly #actionsOfCalled = new Map<Tree, Actions>();
  /** Cached, because a loop may run an action a hundred thousand times. */
  readonly #described = new Map<ActionNode, UntrustedAction>();
  #before = "";

  /** Without `isAuthorData`, only constants are the author's. */
  constructor(isAuthorData: IsAuthorData | undefined, placeholderFor: (insertion: UntrustedInsertion) => string) {
    this.#isAuthorData = isAuthorData;
    this.#placeholderFor = placeholderFor;
  }

  get text(): string {
    return canonicalBytes(this.#output.text);
  }

  onText(text: string): void {
    this.#output.write(text);
    this.#before = text.at(-1) ?? this.#before;
  }

  /** Writes what an action printed, or its placeholder, which counts as output as far as it is longer. */
  onAction(action: ActionRun): void {
    const { node, printed, budget } = action;
    const isUntrusted = this.#actionsOf(action).has(node);
    const written = isUntrusted ? this.#placeholderFor(this.#insertion(action)) : printed;
    this.onText(written);
    if (written !== printed) budget.write(Math.max(0, written.length - byteLength(printed)));
  }

  /** A template that another one calls sees the data that it is given, which may be anybody's. */
  #actionsOf({ tree, isCalled, budget }: ActionRun): Actions {
    const known = isCalled ? this.#actionsOfCalled : this.#actions;
    const found = known.get(tree) ?? untrustedActions(tree, budget, isCalled ? undefined : this.#isAuthorData);
    known.set(tree, found);
    return found;
  }

  #insertion(action: ActionRun): UntrustedInsertion {
    const { node, printed } = action;
    const described = this.#described.get(node) ?? describe(node.pipe);
    this.#described.set(node, described);
    return { ...described, text: printed, before: this.#before, operands: () => attempt(action) };
  }
}

/** An operand that the action skipped, such as one behind an `and`, may fail when it is computed. */
function attempt({ operands, tree, budget }: ActionRun): readonly GoValue[] | undefined {
  try {
    return operands?.();
  } catch (error) {
    if (!(error instanceof TemplateError) || isExhaustion(error)) throw error;
    // The error was made with the place in the template, whose lines were counted.
    budget.step(1 + (tree.text.length >> 6));
    return undefined;
  }
}

const textInAction = /"(?:[^"\\]|\\.)*"|`[^`]*`/g;

/** Leaves out string constants: they may be secrets of the author, and others read the messages. */
function describe(pipe: PipeNode): UntrustedAction {
  const action = nodeText(pipe).replaceAll(textInAction, '"…"');
  const parts = partsOf(pipe);
  const [word, argument] = withoutParentheses(pipe).commands.at(-1)?.words ?? [];
  if (word?.kind !== "identifier") return { action, ...parts };
  return {
    action,
    ...parts,
    last: { name: word.name, number: argument?.kind === "number" ? argument.constant.float : undefined },
  };
}
