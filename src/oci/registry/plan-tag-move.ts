/** What is known about a tag before it is moved. */
export interface TagFacts {
  readonly tag: string;
  /** The digest it has now; undefined if there is no such tag. */
  readonly current: string | undefined;
  /** The digest it should have. */
  readonly target: string;
  /** The digest that the caller saw when it decided; `absent`: it saw no such tag. */
  readonly expected?: string | undefined;
  /** The tag may be written once, and never lead to another digest. */
  readonly isImmutable?: boolean | undefined;
  /** Digests of newer releases: a tag that has one of them must not go back. */
  readonly newer?: ReadonlySet<string> | undefined;
}

export type TagMoveReason = "Superseded" | "Immutable" | "MovedMeanwhile";

/** What to do with a tag: a value, which the dry run prints. */
export interface TagMove {
  readonly tag: string;
  readonly from: string | undefined;
  readonly to: string;
  readonly action: "keep" | "create" | "move" | "refuse";
  /** Why it is refused. */
  readonly reason?: TagMoveReason;
}

export const absentTag = "absent";

/**
 * Decides about one tag. A tag that leads to the right digest is kept, whatever else is known: a repeated call has nothing to
 * do. Registries have no condition for writes, so that the facts should be as new as possible.
 */
export function planTagMove({ tag, current, target, expected, isImmutable, newer }: TagFacts): TagMove {
  const move = { tag, from: current, to: target };
  if (current === target) return { ...move, action: "keep" };
  if (current !== undefined && newer?.has(current)) return { ...move, action: "refuse", reason: "Superseded" };
  if (current !== undefined && isImmutable) return { ...move, action: "refuse", reason: "Immutable" };
  if (expected !== undefined && expected !== (current ?? absentTag)) {
    return { ...move, action: "refuse", reason: "MovedMeanwhile" };
  }
  return { ...move, action: current === undefined ? "create" : "move" };
}

const sentences: Readonly<Record<TagMoveReason, (move: TagMove) => string>> = {
  Superseded: ({ tag, from }) => `tag ${tag} has ${from}, which was released later`,
  Immutable: ({ tag, from }) => `tag ${tag} already exists with ${from}, and is written once only`,
  MovedMeanwhile: ({ tag, from }) =>
    `tag ${tag} was moved meanwhile: it ${from === undefined ? "does not exist" : `has ${from}`}`,
};

/** Why a tag is not moved, as a sentence. */
export function describeTagMoveReason(move: TagMove): string | undefined {
  return move.reason && sentences[move.reason](move);
}
