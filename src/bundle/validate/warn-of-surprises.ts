import { type FieldPath, formatFieldPath, isJsonList, isJsonObject, type JsonValue } from "#base";
import type { YamlSurprise } from "#yaml";
import type { Datafile } from "../bundle.ts";
import type { SchemaNodes } from "../facts/schema-node.ts";
import type { BundleFinding, ValidationIssue } from "./bundle-finding.ts";

/**
 * Warns of values that may not be what the author of a file meant. A number or a boolean is one only where the schema has no say,
 * as in the parameters of an environment, which become text; where it has, the value is right or an error.
 */
export function warnOfSurprises(
  { path, schema, content, written = content }: Datafile,
  surprises: readonly YamlSurprise[],
  nodes: SchemaNodes,
  errors: readonly BundleFinding[],
): BundleFinding[] {
  const wrong = new Set(errors.map(({ at }) => formatFieldPath(at)));
  return surprises.flatMap((surprise) => {
    if (wrong.has(formatFieldPath(surprise.at))) return [];
    const isFree = schema === undefined || !isTyped(written, surprise.at, schema, nodes);
    const issue = isFree || isAlwaysOdd(surprise) ? explain(surprise) : undefined;
    return issue ? [{ ...issue, part: "data", path, kind: "FILE" } as const] : [];
  });
}

function isAlwaysOdd({ kind }: YamlSurprise): boolean {
  return kind !== "number" && kind !== "boolean";
}

function explain({ at, kind, written, value }: YamlSurprise): ValidationIssue {
  const name = formatFieldPath(at);
  const next = `quote it: ${JSON.stringify(written)}`;
  switch (kind) {
    case "duplicate":
      return { at, what: `${name} comes twice, and the last one counts`, next: "remove or rename one of them" };
    case "text":
      return { at, what: `${name}: ${written} is a text here, but not for kubectl and Helm`, next };
    case "date":
      return { at, what: `${name}: ${written} is a date, which qontract's bundler refuses`, next };
    case "number":
    case "boolean": {
      const read = kind === "number" ? `the number ${value}` : String(value);
      return { at, what: `${name}: ${written} is read as ${read}`, next: `${next}, if it is a text` };
    }
    default:
      return kind satisfies never;
  }
}

/** Whether the schema says what a field may be. */
function isTyped(content: JsonValue, at: FieldPath, schema: string, nodes: SchemaNodes): boolean {
  let node = nodes.root(schema);
  let value: JsonValue = content;
  for (const step of at) {
    const chosen = node?.choose(value);
    if (isJsonList(value)) {
      node = chosen?.items;
      value = value[Number(step)] ?? null;
    } else if (isJsonObject(value)) {
      node = chosen?.field(String(step));
      value = value[String(step)] ?? null;
    } else {
      return false;
    }
  }
  return node !== undefined && ["type", "enum", "const", "oneOf", "anyOf"].some((key) => key in node.schema);
}
