/** A key as TOML writes it: in quotes if it is more than letters, digits, `_` and `-`. */
export function tomlKey(name: string): string {
  return /^[A-Za-z0-9_-]+$/.test(name) ? name : tomlString(name);
}

/** A string in double quotes. */
export function tomlString(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return `"${text.replace(/["\\\x00-\x1f\x7f]/g, escape)}"`;
}

const shortEscapes = new Map([
  ['"', '\\"'],
  ["\\", "\\\\"],
  ["\b", "\\b"],
  ["\t", "\\t"],
  ["\n", "\\n"],
  ["\f", "\\f"],
  ["\r", "\\r"],
]);

function escape(character: string): string {
  return shortEscapes.get(character) ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
