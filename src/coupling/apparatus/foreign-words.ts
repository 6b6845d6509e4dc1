import type { Redact } from "#base";

const longest = 300;
/** Longer words are not shown at all: cut before they are masked, they could show the first part of a secret of any length. */
const longestRead = 2 ** 16;

/** What somebody else says, as the end of a message of ours: on one line, not too long, without secrets. Empty if they say nothing. */
export function foreignWords(words: unknown, redact: Redact): string {
  if (typeof words !== "string" || words.trim() === "") return "";
  if (words.length > longestRead) return `: ${words.length} characters, too many to show`;
  const shown = redact(words)
    .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .trim();
  return `: ${shown.length > longest ? `${shown.slice(0, longest)}…` : shown}`;
}
