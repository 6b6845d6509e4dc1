import { anyJson } from "./any-value.ts";
import { anyText } from "./hostile-text.ts";
import type { Random } from "./random.ts";

/** YAML text: written from values in all styles, with anchors, tags and comments, and sometimes with a fault. */
export function anyYaml(random: Random): string {
  const text = random.chance(0.1) ? anyJson(random, 2) : document(random);
  if (random.chance(0.85)) return text;
  const at = random.below(text.length + 1);
  return `${text.slice(0, at)}${random.pick(faults)}${text.slice(at + random.below(3))}`.toWellFormed();
}

const faults = [
  ..." \n\t:-?#&*!|>'\"%@`{}[],".split(""),
  "\n  ",
  "---\n",
  "...",
  "- ",
  "? ",
  ": ",
  "\r",
  "\0",
  "&a ",
  "*a",
  "!!str ",
  "<<: ",
];

function document(random: Random): string {
  const head = random.chance(0.05) ? random.pick(["---\n", "%YAML 1.1\n---\n", "# c\n", "\ufeff", "--- ", "\n\n"]) : "";
  const tail = random.chance(0.05) ? random.pick(["...\n", "---\n", "# end", "\n---\na: 1\n"]) : "";
  return `${head}${block(random, 0, 3)}${tail}`;
}

/** A value that begins where the indentation is, and ends with a newline. */
function block(random: Random, indent: number, depth: number): string {
  const kind = depth > 0 ? random.below(10) : 9;
  if (kind < 5) return mapping(random, indent, depth);
  if (kind < 8) return sequence(random, indent, depth);
  return `${scalar(random, indent)}\n`;
}

function mapping(random: Random, indent: number, depth: number): string {
  const pad = " ".repeat(indent);
  const lines = random.times(1 + random.few(3), () => `${pad}${key(random)}:${value(random, indent, depth)}`);
  return lines.join("").slice(indent);
}

function sequence(random: Random, indent: number, depth: number): string {
  const pad = " ".repeat(indent);
  const item = () =>
    random.chance(0.3) && depth > 1 ? ` ${mapping(random, indent + 2, depth - 1)}` : value(random, indent, depth);
  return random
    .times(1 + random.few(3), () => `${pad}-${item()}`)
    .join("")
    .slice(indent);
}

/** What follows a colon or a dash, to the end of its lines. */
function value(random: Random, indent: number, depth: number): string {
  const properties = random.chance(0.06)
    ? random.pick([" &a", " !!str", " !!int", " !!binary", " !x", " &b !!map", " !!float"])
    : "";
  const comment = random.chance(0.05) ? " # c" : "";
  const kind = depth > 0 ? random.below(12) : 11;
  const inner = indent + random.pick([1, 2, 2, 2, 4]);
  if (kind < 3) return `${properties}${comment}\n${" ".repeat(inner)}${mapping(random, inner, depth - 1)}`;
  if (kind < 5) return `${properties}${comment}\n${" ".repeat(inner)}${sequence(random, inner, depth - 1)}`;
  if (kind < 6) return `${properties} ${flow(random, depth - 1)}${comment}\n`;
  if (kind < 7) return `${properties} ${literal(random, inner)}\n`;
  if (random.chance(0.05)) return random.pick([" *a\n", "\n", " ~\n", " <<\n"]);
  return `${properties} ${scalar(random, inner)}${comment}\n`;
}

function key(random: Random): string {
  if (random.chance(0.7)) return random.pick(["a", "b", "c", "name", "list", "map"]);
  if (random.chance(0.3))
    return random.pick([
      "1",
      "1.5",
      "true",
      "null",
      "~",
      "yes",
      "<<",
      "0x10",
      "? a",
      "[a]",
      "'q'",
      '"d"',
      "2020-01-01",
      "",
    ]);
  return scalar(random, 2).replaceAll("\n", " ");
}

function scalar(random: Random, indent: number): string {
  const text = anyText(random);
  const style = random.below(6);
  if (style < 3) return text.replaceAll("\n", `\n${" ".repeat(indent)}`);
  if (style < 4) return `'${text.replaceAll("'", "''")}'`;
  if (style < 5) return JSON.stringify(text);
  return random.pick(["1", "true", "a b", "1.5", "null", "x"]);
}

function literal(random: Random, indent: number): string {
  const header = random.pick(["|", "|-", "|+", ">", ">-", ">+", "|2", ">1-"]);
  const lines = anyText(random).split("\n");
  return `${header}\n${lines.map((line) => (line === "" ? "" : " ".repeat(indent) + line)).join("\n")}`;
}

function flow(random: Random, depth: number): string {
  if (depth <= 0 || random.chance(0.4)) return random.pick([() => anyJson(random, 1), () => scalar(random, 2)])();
  if (random.chance(0.5)) return `[${random.times(random.few(3), () => flow(random, depth - 1)).join(", ")}]`;
  return `{${random.times(random.few(3), () => `${key(random)}: ${flow(random, depth - 1)}`).join(", ")}}`;
}
