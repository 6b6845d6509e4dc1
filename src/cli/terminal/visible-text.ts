import { redact } from "#base";

const shortEscapes: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/**
 * Escapes all characters that a terminal would interpret or that hide text. Names and messages come from clusters, where
 * anyone may have written them.
 */
export function visibleText(text: string): string {
  return text.replace(/[\p{Control}\u2028-\u202E\u2066-\u2069]/gu, (character) => {
    return shortEscapes[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

/** Text from outside, ready to print: known secrets masked, control characters escaped. */
export function safeText(text: string): string {
  return visibleText(redact(text));
}
