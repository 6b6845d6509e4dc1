import type { Redact } from "#base";

const longest = 300;

/** What somebody else says, as the end of a message of ours: on one line, not too long, without secrets. Empty if they say nothing. */
export function foreignWords(words: unknown, redact: Redact): string {
  if (typeof words !== "string" || words.trim() === "") return "";
  const shown = redact(words)
    .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .trim();
  return `: ${shown.length > longest ? `${shown.slice(0, longest)}…` : shown}`;
}
