import { celEnv, celFunc, type CelInput, CelScalar, type CelValue, parse, plan } from "@bufbuild/cel";
import { InputError, isRecord } from "#base";

/** What the expression of a plan can see. */
export interface ExpressionFacts {
  /** The Snapshot as the API server has it. */
  readonly snapshot: object;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Whether the label of the Snapshot's component has this name. */
  readonly updatedComponentIs: (name: string) => boolean;
  readonly shouldRelease: () => boolean;
}

/** They bound the work of an expression: lists can grow with each macro, and macros multiply when they are nested. */
const longestExpression = 1_024;
const mostMacros = 3;

/** Whether the CEL expression of a plan says that a Snapshot is released. An InputError if it has no boolean answer. */
export function evaluateReleaseExpression(expression: string, facts: ExpressionFacts): boolean {
  return answerOf(parseExpression(expression), facts);
}

const answers = [false, true] as const;

/**
 * Refuses an expression that has no boolean answer, as far as that is known without a Snapshot: what a Snapshot has is not
 * known, and so nothing beyond the syntax of an expression that asks for it.
 */
export function checkReleaseExpression(expression: string): void {
  const parsed = parseExpression(expression);
  if (namesIn(parsed).includes("snapshot")) return;
  for (const isUpdated of answers) {
    for (const shouldRelease of answers) {
      const facts = { snapshot: {}, now: 0, updatedComponentIs: () => isUpdated, shouldRelease: () => shouldRelease };
      answerOf(parsed, facts);
    }
  }
}

type ParsedExpression = ReturnType<typeof parse>;

function parseExpression(expression: string): ParsedExpression {
  if (expression.length > longestExpression) {
    throw refusal(`the expression has ${expression.length} characters`, `use at most ${longestExpression}`);
  }
  const parsed = orRefuse(() => parse(expression));
  const macros = countMacros(parsed);
  if (macros > mostMacros) throw refusal(`the expression has ${macros} macros`, `use at most ${mostMacros}`);
  return parsed;
}

function answerOf(parsed: ParsedExpression, facts: ExpressionFacts): boolean {
  const { updatedComponentIs, shouldRelease } = facts;
  const answer: unknown = orRefuse(() => {
    const environment = celEnv({
      funcs: [
        celFunc("updatedComponentIs", [CelScalar.STRING], CelScalar.BOOL, (name) => updatedComponentIs(name)),
        celFunc("shouldRelease", [], CelScalar.BOOL, () => shouldRelease()),
      ],
    });
    return plan(environment, parsed)({ snapshot: celOf(facts.snapshot), now: timestampOf(facts.now) });
  });
  if (typeof answer === "boolean") return answer;
  const reason = answer instanceof Error ? answer.message : "its result is not a boolean";
  throw refusal(`the expression cannot be evaluated: ${reason}`);
}

function orRefuse<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw refusal(`the expression cannot be evaluated: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function refusal(message: string, next = "correct it; it must be true or false for a Snapshot"): InputError {
  return new InputError(message, { next });
}

/** `exists`, `all`, `map`, `filter` and the like. */
function countMacros(node: unknown): number {
  if (Array.isArray(node)) return node.reduce<number>((sum, item) => sum + countMacros(item), 0);
  if (!isRecord(node)) return 0;
  const own = node["case"] === "comprehensionExpr" ? 1 : 0;
  return Object.values(node).reduce<number>((sum, value) => sum + countMacros(value), own);
}

/** The names that an expression uses, its own variables among them. */
function namesIn(node: unknown): readonly string[] {
  if (Array.isArray(node)) return node.flatMap(namesIn);
  if (!isRecord(node)) return [];
  const named = node["case"] === "identExpr" && isRecord(node["value"]) ? [String(node["value"]["name"])] : [];
  return [...named, ...Object.values(node).flatMap(namesIn)];
}

/** Whole numbers of JSON are integers in CEL, as in Kubernetes. */
function celOf(value: unknown): CelInput {
  if (Array.isArray(value)) return value.map(celOf);
  if (isRecord(value)) return new Map(Object.entries(value).map(([key, item]) => [key, celOf(item)]));
  if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : value;
  return typeof value === "string" || typeof value === "boolean" ? value : null;
}

/** CEL itself makes the timestamp, whose type belongs to a package that only CEL needs. */
function timestampOf(ms: number): CelValue {
  const made = plan(celEnv(), parse("timestamp(text)"))({ text: new Date(ms).toISOString() });
  if (made instanceof Error) throw made;
  return made;
}
