import { CommandFailed } from "#base";
import { describeTagMoveReason, type TagOutcome } from "#oci";
import type { Column } from "../terminal/format-table.ts";

/** One tag, as it is printed. */
export interface TagRow {
  readonly image: string;
  readonly oldDigest?: string;
  readonly newDigest: string;
  /** What was done, or would be done by a dry run. */
  readonly result: string;
  readonly problem?: string;
}

const done = { keep: "unchanged", create: "created", move: "moved", refuse: "refused" } as const;
const planned = { keep: "unchanged", create: "would be created", move: "would be moved", refuse: "refused" } as const;

export const tagColumns: readonly Column<TagRow>[] = [
  { header: "image", value: ({ image }) => image, keep: "all" },
  { header: "old digest", value: ({ oldDigest }) => oldDigest },
  { header: "new digest", value: ({ newDigest }) => newDigest },
  {
    header: "result",
    value: ({ result }) => result,
    keep: "all",
    colour: ({ problem, result }) => (problem !== undefined ? "red" : result === "unchanged" ? undefined : "green"),
  },
];

/** `repository` is its full name. */
export function tagRow(repository: string, outcome: TagOutcome, isDryRun: boolean): TagRow {
  const { tag, from, to, action, error } = outcome;
  const problem = error?.message ?? describeTagMoveReason(outcome);
  return {
    image: `${repository}:${tag}`,
    ...(from === undefined ? {} : { oldDigest: from }),
    newDigest: to,
    result: error ? "failed" : (isDryRun ? planned : done)[action],
    ...(problem === undefined ? {} : { problem }),
  };
}

/** Fails if a tag is not as the user asked. */
export function requireMoved(rows: readonly TagRow[]): void {
  const problems = rows.flatMap(({ image, problem }) => (problem === undefined ? [] : [`${image}: ${problem}`]));
  const [first] = problems;
  if (first === undefined) return;
  const next = "`tenon image inspect` shows what each tag has now";
  if (rows.length === 1) throw new CommandFailed(first, { next });
  const errors = problems.map((problem) => new Error(problem));
  throw new CommandFailed(`${problems.length} of ${rows.length} tags were not moved`, {
    next,
    cause: new AggregateError(errors, "problems by tag"),
  });
}
