import { readFile } from "node:fs/promises";
import { join } from "node:path";

export const checkout = join(import.meta.dirname, "..", "..");

/** A command of a page, as one types it, and the sample of what it prints. */
export interface PageCommand {
  readonly line: number;
  readonly typed: string;
  readonly sample: readonly string[];
  /** Why no test types it: a comment above the block says so. */
  readonly notRun?: string;
}

/** A block of commands. `console` blocks have prompts and samples, `sh` blocks only commands. */
export interface PageBlock {
  readonly page: string;
  /** From 1, among the blocks of commands of the page. */
  readonly number: number;
  readonly commands: readonly PageCommand[];
}

/** All blocks of commands of a page, in order. */
export async function readPage(page: string): Promise<readonly PageBlock[]> {
  return parsePage(page, await readFile(join(checkout, page), "utf8"));
}

export function parsePage(page: string, text: string): readonly PageBlock[] {
  const blocks: PageBlock[] = [];
  for (const { language, body, line, above } of parseFences(text)) {
    if (!commandLanguages.has(language)) continue;
    const commands = parseCommands(language === "console" ? body : withPrompts(body), line + 1);
    blocks.push({ page, number: blocks.length + 1, commands: commands.map((command) => excuse(command, above)) });
  }
  return blocks;
}

/** The YAML blocks of a page, which a reader writes to files. */
export async function readYamlBlocks(page: string): Promise<readonly string[]> {
  const fences = parseFences(await readFile(join(checkout, page), "utf8"));
  return [...fences].flatMap(({ language, body }) => (language === "yaml" ? [`${body.join("\n")}\n`] : []));
}

const commandLanguages: ReadonlySet<string> = new Set(["console", "sh", "bash", "shell"]);

interface Fence {
  readonly language: string;
  readonly line: number;
  readonly body: readonly string[];
  /** The comment above the block, if there is one. */
  readonly above: string;
}

function* parseFences(text: string): Generator<Fence> {
  const lines = text.split("\n");
  for (let at = 0; at < lines.length; at++) {
    const [, indent = "", language] = /^( *)```(\w*)/.exec(lines[at] ?? "") ?? [];
    if (language === undefined) continue;
    const end = lines.indexOf(`${indent}\`\`\``, at + 1);
    const body = lines.slice(at + 1, end < 0 ? lines.length : end).map((line) => line.slice(indent.length));
    const above = lines.slice(0, at).join("\n").trimEnd();
    yield { language, line: at + 1, body, above: above.endsWith("-->") ? above.slice(above.lastIndexOf("<!--")) : "" };
    at += body.length + 1;
  }
}

/** `<!-- not run: REASON -->` excuses all commands of the block, and `<!-- not run, COMMAND: REASON -->` those that begin so. */
function excuse(command: PageCommand, above: string): PageCommand {
  for (const [, beginning = "", notRun = ""] of above.matchAll(/\bnot run(?:, (.+?))?: +(.+?) *(?:-->|$)/gm)) {
    if (command.typed.startsWith(beginning)) return { ...command, notRun };
  }
  return command;
}

function withPrompts(lines: readonly string[]): string[] {
  return lines.map((line, index) => (lines[index - 1]?.endsWith("\\") ? line : `$ ${line}`));
}

function parseCommands(lines: readonly string[], firstLine: number): PageCommand[] {
  const commands: PageCommand[] = [];
  for (let at = 0; at < lines.length; ) {
    const line = firstLine + at;
    const typed = [(lines[at++] ?? "").replace(/^\$ /, "")];
    while (typed.at(-1)?.endsWith("\\")) typed.push(lines[at++] ?? "");
    const [, mark] = /<<'?(\w+)'?$/.exec(typed[0] ?? "") ?? [];
    const end = mark === undefined ? -1 : lines.indexOf(mark, at);
    if (end >= 0) typed.push(...lines.slice(at, end + 1));
    at = Math.max(at, end + 1);
    const begin = at;
    while (at < lines.length && !lines[at]?.startsWith("$ ")) at++;
    commands.push({ line, typed: typed.join("\n"), sample: lines.slice(begin, at) });
  }
  return commands;
}
