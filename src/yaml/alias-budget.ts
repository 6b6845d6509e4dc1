const smallDocument = 400_000;
const largeDocument = 4_000_000;

/**
 * Keeps a small text from becoming a huge value through aliases of aliases, by the rule of goyaml.v2:
 * of the nodes that make up the value, at most 99 % may come from aliases, falling to 10 % in very large documents.
 */
export class AliasBudget {
  /** Nodes so far, those from aliases included. */
  nodes = 0;
  #aliased = 0;

  /** Counts the nodes that an alias repeats. */
  repeat(nodes: number): void {
    this.nodes += nodes;
    this.#aliased += nodes;
  }

  get isExceeded(): boolean {
    if (this.#aliased <= 100 || this.nodes <= 1_000) return false;
    return this.#aliased / this.nodes > allowedRatio(this.nodes);
  }
}

function allowedRatio(nodes: number): number {
  if (nodes <= smallDocument) return 0.99;
  if (nodes >= largeDocument) return 0.1;
  return 0.99 - (0.89 * (nodes - smallDocument)) / (largeDocument - smallDocument);
}
