/** What means something to YAML, so that a value which holds it could become something else than a text. */
const risky = /[\n"']|: | #/;

/**
 * The names of the values that were put into a text as they are, although they hold what YAML takes for its own. What went
 * through `quote`, `toJson` or `b64enc` is not there as it was, or stands between quotes.
 */
export function findUnquoted(text: string, values: ReadonlyMap<string, string>): string[] {
  return [...values]
    .filter(([, value]) => risky.test(value) && isUnquoted(text, value))
    .map(([name]) => name)
    .toSorted();
}

function isUnquoted(text: string, value: string): boolean {
  for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + 1)) {
    const [before, after] = [text[at - 1], text[at + value.length]];
    const isInside = (quote: string): boolean => before === quote && after === quote && !value.includes(quote);
    if (value.includes("\n") || !(isInside('"') || isInside("'"))) return true;
  }
  return false;
}
