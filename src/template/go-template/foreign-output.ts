import { type GoValue, joined } from "#golang";
import { foreignActions, type IsOwn } from "./foreign-actions.ts";
import { type ActionNode, nodeText, partsOf, type PipeNode, type Tree, withoutParentheses } from "./syntax-tree.ts";
import { Output } from "./output-buffer.ts";
import { isExhaustion, TemplateError } from "./template-error.ts";

/** An action that may print what is not its author's own. */
interface InsertingAction {
  /** As messages show it. */
  readonly action: string;
  /** The function that what it prints went through last, and the number which that was given first. */
  readonly last?: { readonly name: string; readonly number: number | undefined };
  /** All functions that it calls. */
  readonly functions: readonly string[];
  /** All texts that its author wrote in it. */
  readonly texts: readonly string[];
}

/** What such an action has printed. */
export interface Insertion extends InsertingAction {
  readonly text: string;
  /** The character right before it; none at the beginning. */
  readonly before: string;
  /** What it has read; undefined if that cannot be told. */
  readonly operands: () => readonly GoValue[] | undefined;
}

/** Where an action stands, and how to learn what it reads. */
interface Place {
  readonly tree: Tree;
  readonly isCalled: boolean;
  readonly operands: (() => readonly GoValue[]) | undefined;
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
  insert(text: string, node: ActionNode, { tree, isCalled, operands }: Place): string {
    const isForeign = this.#actionsOf(tree, isCalled).has(node);
    const written = isForeign ? this.#standIn(this.#insertion(text, node, operands)) : text;
    this.write(written);
    return written;
  }

  #actionsOf(tree: Tree, isCalled: boolean): Actions {
    const known = isCalled ? this.#actionsOfCalled : this.#actions;
    const found = known.get(tree) ?? foreignActions(tree, isCalled ? undefined : this.#isOwn);
    known.set(tree, found);
    return found;
  }

  #insertion(text: string, node: ActionNode, read: Place["operands"]): Insertion {
    const described = this.#described.get(node) ?? describe(node.pipe);
    this.#described.set(node, described);
    return { ...described, text, before: this.#before, operands: () => attempt(read) };
  }
}

/** What an action did not come to read, such as after an `and`, may not be there to be read. */
function attempt(read: Place["operands"]): readonly GoValue[] | undefined {
  try {
    return read?.();
  } catch (error) {
    if (error instanceof TemplateError && !isExhaustion(error)) return undefined;
    throw error;
  }
}

const textInAction = /"(?:[^"\\]|\\.)*"|`[^`]*`/g;

/** Without the texts in it, which may be secrets of its author: others read the messages. */
function describe(pipe: PipeNode): InsertingAction {
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
