import { readFile } from "node:fs/promises";
import { join } from "node:path";

export const checkout = join(import.meta.dirname, "..", "..");

/** A command of a page, as one types it, and the sample of what it prints. */
export interface PageCommand {
  readonly line: number;
  readonly typed: string;
  readonly sample: readonly string[];
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
  const lines = text.split("\n");
  for (let at = 0; at < lines.length; at++) {
    const [, language] = /^```(\w*)/.exec(lines[at] ?? "") ?? [];
    if (language === undefined) continue;
    const end = lines.indexOf("```", at + 1);
    const body = lines.slice(at + 1, end < 0 ? lines.length : end);
    if (language === "console" || language === "sh") {
      const prompted = language === "console" ? body : withPrompts(body);
      blocks.push({ page, number: blocks.length + 1, commands: parseCommands(prompted, at + 2) });
    }
    at += body.length + 1;
  }
  return blocks;
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
