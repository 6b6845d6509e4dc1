import type { Expression, PipeNode } from "./node.ts";

/** What an action reads: fields, variables and dot, wherever they stand in it. */
export function operandsOf({ commands }: PipeNode): Expression[] {
  return commands.flatMap(({ words }) =>
    words.flatMap((word) => {
      if (word.kind === "pipe") return operandsOf(word);
      return ["field", "variable", "dot", "chain"].includes(word.kind) ? [word] : [];
    }),
  );
}

/** As if the word stood alone. */
export function pipeOf(word: Expression): PipeNode {
  const { position } = word;
  return {
    kind: "pipe",
    position,
    variables: [],
    assigns: false,
    commands: [{ kind: "command", position, words: [word] }],
  };
}

/** The functions that an action calls, and its texts. */
export function partsOf({ commands }: PipeNode): {
  readonly functions: readonly string[];
  readonly texts: readonly string[];
} {
  const parts = commands.flatMap(({ words }) =>
    words.map((word) => {
      if (word.kind === "identifier") return { functions: [word.name], texts: [] };
      if (word.kind === "string") return { functions: [], texts: [word.value] };
      const inner = word.kind === "chain" ? word.operand : word;
      return inner.kind === "pipe" ? partsOf(inner) : { functions: [], texts: [] };
    }),
  );
  return {
    functions: parts.flatMap(({ functions }) => functions),
    texts: parts.flatMap(({ texts }) => texts),
  };
}
