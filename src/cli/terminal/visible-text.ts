const shortEscapes: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/**
 * The text with everything escaped that a terminal would obey or that hides what is written: names and messages come
 * from clusters, and anybody may have put them there.
 */
export function visibleText(text: string): string {
  return text.replace(/[\p{Control}\u2028-\u202E\u2066-\u2069]/gu, (character) => {
    return shortEscapes[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}
