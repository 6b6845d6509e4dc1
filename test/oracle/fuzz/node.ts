/**
 * A piece of a generated template, kept as a tree so that it can be shrunk: an operand may be replaced by an operand
 * inside it or by a constant, a call by an operand inside it, a stage or a block left out.
 */
export interface Node {
  readonly kind: "operand" | "call" | "stage" | "block" | "root";
  readonly parts: readonly Part[];
}

export type Part = string | Node;

export function node(kind: Node["kind"], ...parts: readonly Part[]): Node {
  return { kind, parts };
}

export function render(part: Part): string {
  return typeof part === "string" ? part : part.parts.map(render).join("");
}

/** Everything a tree can become by one step of shrinking, the boldest first. */
export function* shrinkNode(root: Node): Generator<Node> {
  for (const { path, found } of walk(root, [])) {
    for (const replacement of replacements(found)) yield replaceAt(root, path, replacement);
  }
}

function* walk(at: Node, path: readonly number[]): Generator<{ path: readonly number[]; found: Node }> {
  if (path.length > 0) yield { path, found: at };
  for (const [index, part] of at.parts.entries()) {
    if (typeof part !== "string") yield* walk(part, [...path, index]);
  }
}

function* replacements(found: Node): Generator<Part> {
  const text = render(found);
  if (found.kind === "stage" || found.kind === "block") yield "";
  if (found.kind === "block") yield* inside(found, "block");
  if (found.kind === "operand" || found.kind === "call") {
    for (const constant of ["1", '""', "."]) if (text.length > constant.length) yield constant;
    yield* inside(found, "operand");
  }
}

function* inside(found: Node, kind: Node["kind"]): Generator<Node> {
  for (const { found: inner } of walk(found, [])) if (inner !== found && inner.kind === kind) yield inner;
}

function replaceAt(root: Node, [index, ...rest]: readonly number[], replacement: Part): Node {
  const parts = root.parts.map((part, at) => {
    if (at !== index) return part;
    return rest.length === 0 || typeof part === "string" ? replacement : replaceAt(part, rest, replacement);
  });
  return { ...root, parts };
}
