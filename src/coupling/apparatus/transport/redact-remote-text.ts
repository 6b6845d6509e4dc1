import type { Redact } from "#base";

const longest = 300;
/** A longer text is not shown at all: cut before it is masked, it could show the first part of a long secret. */
const longestRead = 2 ** 16;

/** A text of a remote party as the end of a message: on one line, shortened, without secrets. Empty if there is none. */
export function redactRemoteText(words: unknown, redact: Redact): string {
  if (typeof words !== "string" || words.trim() === "") return "";
  if (words.length > longestRead) return `: ${words.length} characters, too many to show`;
  const shown = redact(words)
    .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .trim();
  return `: ${shown.length > longest ? `${shown.slice(0, longest)}…` : shown}`;
}
