/** What Tenon writes on forges is Markdown, and much of what it says was written by tenants. */

const longestLine = 2_000;
const longestCode = 500;

/** Text that must not become a table, a tag, a link, or a message to a person. */
export function forgeText(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim().slice(0, longestLine);
  return line.replaceAll(/[\\`*_[\]<>|~#@&!]/g, (character) => `&#${character.codePointAt(0)};`);
}

/** A name or a value, as it is; forges read nothing inside. */
export function forgeCode(text: string): string {
  return `\`${text.slice(0, longestCode).replaceAll(/[`\s|]+/g, " ")}\``;
}

export function forgeLink(text: string, link: string | undefined): string {
  if (link === undefined) return forgeCode(text);
  const address = link.replaceAll(/[<>\s]/g, "").replaceAll(/[|\\`]/g, encodeURIComponent);
  return `[${forgeCode(text)}](<${address}>)`;
}

export function forgeTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
}

/** The forges take less than 65,536 characters. */
const longestText = 60_000;

export function cutForgeText(text: string): string {
  return text.length <= longestText ? text : `${text.slice(0, longestText)}\n\n...`;
}
