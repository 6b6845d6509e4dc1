import { joined } from "../go-value/index.ts";
import { foreignActions, type IsOwn } from "./foreign-actions.ts";
import { type ActionNode, type PipeNode, type Tree, withoutParentheses } from "./node.ts";
import { nodeText } from "./node-text.ts";
import { Output } from "./output.ts";

/** An action that may print what is not its author's own. */
interface InsertingAction {
  /** As messages show it. */
  readonly action: string;
  /** The function that what it prints went through last, and the number which that was given first. */
  readonly last?: { readonly name: string; readonly number: number | undefined };
}

/** What such an action has printed. */
export interface Insertion extends InsertingAction {
  readonly text: string;
  /** The character right before it; none at the beginning. */
  readonly before: string;
}

type Actions = ReadonlySet<ActionNode>;

/**
 * A second output beside that of a rendering: the same, but that something stands in for whatever actions print which is not
 * their author's own. Both go the same ways, because conditions and loops see the data as it is.
 */
export class ForeignOutput {
  readonly #isOwn: IsOwn | undefined;
  readonly #standIn: (insertion: Insertion) => string;
  readonly #output = new Output();
  readonly #actions = new Map<Tree, Actions>();
  readonly #actionsOfCalled = new Map<Tree, Actions>();
  /** Once for each: a loop may run it a hundred thousand times. */
  readonly #described = new Map<ActionNode, InsertingAction>();
  #before = "";

  /** Without `isOwn`, only constants are the author's own. */
  constructor(isOwn: IsOwn | undefined, standIn: (insertion: Insertion) => string) {
    this.#isOwn = isOwn;
    this.#standIn = standIn;
  }

  get text(): string {
    return joined(this.#output.text);
  }

  write(text: string): void {
    this.#output.write(text);
    this.#before = text.at(-1) ?? this.#before;
  }

  /** Gives what is written. A template that another one calls sees what it is given, which may be anything. */
  insert(text: string, node: ActionNode, tree: Tree, isCalled: boolean): string {
    const written = this.#actionsOf(tree, isCalled).has(node) ? this.#standIn(this.#insertion(text, node)) : text;
    this.write(written);
    return written;
  }

  #actionsOf(tree: Tree, isCalled: boolean): Actions {
    const known = isCalled ? this.#actionsOfCalled : this.#actions;
    const found = known.get(tree) ?? foreignActions(tree, isCalled ? undefined : this.#isOwn);
    known.set(tree, found);
    return found;
  }

  #insertion(text: string, node: ActionNode): Insertion {
    const described = this.#described.get(node) ?? describe(node.pipe);
    this.#described.set(node, described);
    return { ...described, text, before: this.#before };
  }
}

function describe(pipe: PipeNode): InsertingAction {
  const action = nodeText(pipe);
  const [word, argument] = withoutParentheses(pipe).commands.at(-1)?.words ?? [];
  if (word?.kind !== "identifier") return { action };
  return {
    action,
    last: { name: word.name, number: argument?.kind === "number" ? argument.constant.float : undefined },
  };
}
