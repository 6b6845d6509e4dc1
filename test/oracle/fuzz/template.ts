import { anyJson, anyJsonList, anyJsonMap, anyNumber } from "./any-value.ts";
import { operand, pipeline, type Scope } from "./expression.ts";
import { delicate } from "./functions.ts";
import { anyText } from "./hostile-text.ts";
import { type Node, node, type Part, render } from "./node.ts";
import { pool } from "./pools.ts";
import type { Random } from "./random.ts";

/** A whole generated template with what it calls. */
export function anyTemplate(scope: Scope): Node {
  const { random } = scope;
  const parts: Part[] = [...blocks(scope, 2)];
  if (random.chance(0.6)) parts.unshift(define(scope, "one"));
  if (random.chance(0.1)) parts.push(define(scope, random.pick(["one", "two"])));
  return node("root", ...parts);
}

/** Text that is nearly a template: one with a few characters changed. */
export function brokenTemplate(scope: Scope): Node {
  const { random } = scope;
  const whole = anyTemplate(scope);
  let text = render(whole);
  if (namesOfDelicate.test(text)) return whole;
  for (let count = 1 + random.few(2); count > 0; count--) {
    const at = random.below(text.length + 1);
    const cut = random.below(3);
    text = text.slice(0, at) + (random.chance(0.7) ? random.pick(fragments) : "") + text.slice(at + cut);
  }
  return node("root", text.toWellFormed());
}

const namesOfDelicate = new RegExp([...delicate].join("|"));

const fragments = pool(
  "{{¦}}¦{{-¦-}}¦{{- ¦ -}}¦{{/*¦*/}}¦(¦)¦|¦:=¦=¦$¦$x¦.¦..¦,¦ ¦\"¦`¦'¦'a'¦1¦0x¦1_¦1.5e¦-¦+¦\n¦\t¦nil¦true¦break",
  "continue¦else¦{{end}}¦{{else}}¦{{if}}¦{{if true}}¦{{range}}¦{{with¦{{define¦{{template¦{{block¦#¦é¦{{break}}",
  '{{continue}}¦{{else if true}}¦{{else with .}}¦{{template "x"}}¦\\¦\u0001¦☃¦{{nope}}',
);

/** The data of a generated template: JSON texts by key. */
export function anyData(random: Random, faults: number): ReadonlyMap<string, string> {
  const entries: (readonly [string, string])[] = [
    ["text", JSON.stringify(anyText(random))],
    ["n", anyNumber(random)],
    ["flag", random.pick(["true", "false"])],
    ["none", "null"],
    ["list", anyJsonList(random, 1)],
    ["map", anyJsonMap(random, 2)],
    ["maps", `[${random.times(random.few(3), () => anyJsonMap(random, 1)).join(",")}]`],
    ["a", anyJson(random, 2)],
    ["b", anyJson(random, 1)],
  ];
  return new Map(entries.filter(() => !random.chance(faults)));
}

function define(scope: Scope, name: string): Node {
  const inner = blocks(detached(scope), 1);
  return node("block", `{{define "${name}"}}`, ...inner, "{{end}}");
}

function blocks(scope: Scope, depth: number): Node[] {
  const { random } = scope;
  const variables = [...scope.variables];
  const inner = { ...scope, variables };
  return random.times(1 + random.few(3), () => {
    if (!random.chance(0.12)) return block(inner, depth);
    const variable = random.pick(["$x", "$y", "$long"]);
    const operator = variables.includes(variable) && random.chance(0.5) ? "=" : ":=";
    const declaration = node("block", ...action(scope, `${variable} ${operator} `, pipeline(inner, "any", 2)));
    variables.push(variable);
    return declaration;
  });
}

function block(scope: Scope, depth: number): Node {
  const { random } = scope;
  const kind = random.below(depth === 0 ? 14 : scope.mayCall ? 22 : 21);
  if (kind < 10) return node("block", ...action(scope, pipeline(scope, "any", 3)));
  if (kind < 12) return node("block", random.pick(["text", " ", "\n", "a\n  ", "}}", "{ {", "é☃", "\t", "<p>"]));
  if (kind < 13) return node("block", random.pick(scope.mayCall ? comments.concat(calls) : comments));
  if (kind < 14) return node("block", ...action(scope, random.pick(leaves(scope))));
  if (kind < 17) return condition(scope, depth);
  if (kind < 19) return withBlock(scope, depth);
  if (kind < 21) return range(scope, depth);
  return node(
    "block",
    ...action(scope, 'block "two" ', operand(scope, "any", 1)),
    ...blocks(detached(scope), depth - 1),
    "{{end}}",
  );
}

const comments = ["{{/* c */}}", "{{- /* c */ -}}"];
const calls = ['{{template "one" .}}', '{{template "one"}}', '{{template "one" $.map}}'];

function leaves({ inRange, random, faults }: Scope): string[] {
  if (inRange || random.chance(faults / 4)) return ["break", "continue", ".", "$"];
  return [".", "$", "$.text"];
}

function detached(scope: Scope): Scope {
  return { ...scope, variables: [], inRange: false, mayCall: false };
}

function condition(scope: Scope, depth: number): Node {
  const { random } = scope;
  const parts: Part[] = [...action(scope, "if ", pipeline(scope, "bool", 2)), ...blocks(scope, depth - 1)];
  if (random.chance(0.3))
    parts.push(...action(scope, "else if ", pipeline(scope, "any", 1)), ...blocks(scope, depth - 1));
  if (random.chance(0.5)) parts.push(...action(scope, "else"), ...blocks(scope, depth - 1));
  return node("block", ...parts, ...action(scope, "end"));
}

function withBlock(scope: Scope, depth: number): Node {
  const { random } = scope;
  const declares = random.chance(0.3);
  const inner = declares ? { ...scope, variables: [...scope.variables, "$w"] } : scope;
  const parts: Part[] = action(scope, declares ? "with $w := " : "with ", pipeline(scope, "any", 2));
  parts.push(...blocks(inner, depth - 1));
  if (random.chance(0.2))
    parts.push(...action(scope, "else with ", pipeline(scope, "map", 1)), ...blocks(inner, depth - 1));
  if (random.chance(0.4)) parts.push(...action(scope, "else"), ...blocks(inner, depth - 1));
  return node("block", ...parts, ...action(scope, "end"));
}

function range(scope: Scope, depth: number): Node {
  const { random } = scope;
  const variables = random.pick([[], [], ["$v"], ["$i", "$v"]]);
  const inner = { ...scope, variables: [...scope.variables, ...variables], inRange: true };
  const head = variables.length > 0 ? `range ${variables.join(", ")} := ` : "range ";
  const over = random.pick(["list", "list", "map", "count", "any"] as const);
  const parts: Part[] = [
    ...action(scope, head, operand(scope, over, over === "any" ? 0 : 2)),
    ...blocks(inner, depth - 1),
  ];
  if (random.chance(0.3)) parts.push(...action(scope, "else"), ...blocks(scope, depth - 1));
  return node("block", ...parts, ...action(scope, "end"));
}

function action({ random }: Scope, ...parts: readonly Part[]): Part[] {
  const left = random.chance(0.1) ? "{{- " : random.chance(0.5) ? "{{" : "{{ ";
  const right = random.chance(0.1) ? " -}}" : random.chance(0.5) ? "}}" : " }}";
  return [left, ...parts, right];
}
