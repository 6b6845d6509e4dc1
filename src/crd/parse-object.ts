import { type FieldPath, formatFieldPath, InputError, valueAt } from "#base";
import type { z } from "zod";
import { joinWithOr } from "./words.ts";

interface KindName {
  readonly apiVersion: string;
  readonly kind: string;
}

export function parseObject<Schema extends z.ZodType>(
  schema: Schema,
  object: unknown,
  name: KindName,
): z.output<Schema> {
  const parsed = schema.safeParse(object);
  if (parsed.success) return parsed.data;
  const found = valueAt(object, ["apiVersion"]);
  if (valueAt(object, ["kind"]) === name.kind && typeof found === "string" && found !== name.apiVersion) {
    throw new InputError(`expected apiVersion ${name.apiVersion}, got ${found}`, {
      where: nameOf(object, name),
      next: `change the apiVersion, or read the object from the API server as ${name.apiVersion}`,
    });
  }
  const problems = [...new Set(parsed.error.issues.flatMap((issue) => describe(issue, [])))].toSorted();
  const what =
    problems.length === 1 ? problems.join("") : `${problems.length} fields are wrong:\n  ${problems.join("\n  ")}`;
  throw new InputError(what, { where: nameOf(object, name) });
}

function nameOf(object: unknown, { kind }: KindName): string {
  const [namespace, name] = ["namespace", "name"].map((field) => valueAt(object, ["metadata", field]));
  return [kind, [namespace, name].filter((part) => typeof part === "string").join("/")].join(" ").trim();
}

/** For a union: the problems of the one branch whose type matches the value, else what each branch expects. */
function describe(issue: z.core.$ZodIssue, above: FieldPath): string[] {
  const path = [...above, ...issue.path.map((step) => (typeof step === "symbol" ? String(step) : step))];
  if (issue.code === "invalid_union" && issue.errors.length > 0) {
    const [closest, ...others] = issue.errors.filter((branch) => !branch.some(isWrongType));
    if (closest && others.length === 0) return closest.flatMap((inner) => describe(inner, path));
    const expectations = issue.errors.map(([first]) => withoutPrefix(first?.message ?? issue.message));
    return [`${formatFieldPath(path)}: ${joinWithOr([...new Set(expectations)])}`];
  }
  return [`${formatFieldPath(path)}: ${withoutPrefix(issue.message)}`];
}

function isWrongType({ code, path }: z.core.$ZodIssue): boolean {
  return code === "invalid_type" && path.length === 0;
}

function withoutPrefix(message: string): string {
  return message.replace(/^Invalid input: /, "");
}
