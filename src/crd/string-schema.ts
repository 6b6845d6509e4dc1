import { z } from "zod";
import { escapeRe2, toRe2 } from "./re2-pattern.ts";
import { refusal, type SchemaPath, uncheckable } from "./refusal.ts";
import type { StructuralSchema } from "./structural-schema.ts";
import type { UnwrappedSchema } from "./unwrap-schema.ts";

/** zod's formats and their names in Kubernetes: https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation */
const formats: Readonly<Record<string, string>> = {
  base64: "byte",
  cidrv4: "cidr",
  cidrv6: "cidr",
  date: "date",
  datetime: "date-time",
  email: "email",
  guid: "uuid",
  ipv4: "ipv4",
  ipv6: "ipv6",
  uuid: "uuid",
};

/** zod checks these by code, and its pattern is weaker than the code. */
const exactPatterns: Readonly<Record<string, RegExp>> = { base64: z.regexes.base64, base64url: z.regexes.base64url };

const insteadOf: Readonly<Record<string, string>> = {
  credit_card: "use z.string().regex()",
  duration: "use duration() of #crd: in Kubernetes, a duration is written 1h30m",
  hostname: "use dnsName() of #crd",
  iban: "use z.string().regex()",
  jwt: "use z.string().regex()",
  url: "use httpUrl() of #crd, or z.string().regex()",
};

/** The pattern does the validation, the same for zod and the server; the format is for readers and CEL. */
export function stringSchema(
  schema: z.core.$ZodString,
  { checks }: UnwrappedSchema,
  path: SchemaPath,
): StructuralSchema {
  if (schema._zod.def.coerce) {
    throw refusal(path, "the API server does not turn other values into strings", "use z.string()");
  }
  let minLength = 0;
  let maxLength = Infinity;
  const patterns: string[] = [];
  const named: string[] = [];
  for (const check of schema instanceof z.core.$ZodStringFormat ? [schema, ...checks] : checks) {
    if (check instanceof z.core.$ZodCheckMinLength) minLength = Math.max(minLength, check._zod.def.minimum);
    else if (check instanceof z.core.$ZodCheckMaxLength) maxLength = Math.min(maxLength, check._zod.def.maximum);
    else if (check instanceof z.core.$ZodCheckLengthEquals) minLength = maxLength = check._zod.def.length;
    else {
      patterns.push(patternOf(check, path));
      named.push(...formatOf(check));
    }
  }
  const [format] = named;
  return {
    type: "string",
    ...(format === undefined ? {} : formatted(format)),
    ...(minLength > 0 ? { minLength } : {}),
    ...(maxLength < Infinity ? { maxLength } : {}),
    ...allOfPatterns(patterns),
  };
}

/**
 * With a format, the server does not check that the value is a string and not a list:
 * https://github.com/kubernetes/kube-openapi/blob/master/pkg/validation/validate/type.go
 * Item bounds that no list can meet, and that strings ignore, refuse lists.
 */
export function formatted(format: string): Pick<StructuralSchema, "format" | "minItems" | "maxItems"> {
  return { format, minItems: 1, maxItems: 0 };
}

/** A pattern for what zod composes of literals and other schemas. */
export function templateSchema(template: z.core.$ZodTemplateLiteral, path: SchemaPath): StructuralSchema {
  return { type: "string", pattern: translated(template._zod.pattern, path) };
}

function allOfPatterns([pattern, ...others]: readonly string[]): Pick<StructuralSchema, "pattern" | "allOf"> {
  if (pattern === undefined) return {};
  return { pattern, ...(others.length > 0 ? { allOf: others.map((other) => ({ pattern: other })) } : {}) };
}

function patternOf(check: z.core.$ZodCheck, path: SchemaPath): string {
  if (check instanceof z.core.$ZodCheckStartsWith) return `^${escapeRe2(check._zod.def.prefix)}`;
  if (check instanceof z.core.$ZodCheckEndsWith) return `${escapeRe2(check._zod.def.suffix)}$`;
  if (check instanceof z.core.$ZodCheckIncludes) {
    const { includes, position } = check._zod.def;
    if (position !== undefined)
      throw refusal(path, "Kubernetes cannot express .includes() with a position", "use .regex()");
    return escapeRe2(includes);
  }
  if (!(check instanceof z.core.$ZodCheckStringFormat)) throw uncheckable(check, path);
  const { format, pattern } = check._zod.def;
  const expression = exactPatterns[format] ?? pattern;
  const next = insteadOf[format];
  if (next !== undefined || !expression) {
    throw refusal(path, `Kubernetes cannot check zod's format ${format}`, next ?? "use z.string().regex()");
  }
  return translated(expression, path);
}

function translated(expression: RegExp, path: SchemaPath): string {
  const translation = toRe2(expression);
  if (translation.problem === undefined) return translation.pattern;
  throw refusal(path, `${expression}: ${translation.problem}`, translation.next);
}

/** A local time is not a date-time in Kubernetes. */
function formatOf(check: z.core.$ZodCheck): string[] {
  if (!(check instanceof z.core.$ZodCheckStringFormat)) return [];
  if (check instanceof z.core.$ZodISODateTime && check._zod.def.local) return [];
  return [formats[check._zod.def.format] ?? []].flat();
}
