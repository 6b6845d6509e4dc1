import { isRecord } from "#base";

export const testResults = ["SUCCESS", "FAILURE", "WARNING", "SKIPPED", "ERROR"] as const;
export type TestResult = (typeof testResults)[number];

/** What a task of a test says of itself: https://konflux-ci.dev/docs/reference/kube-apis/, the result `TEST_OUTPUT`. */
export interface TestOutput {
  readonly result: TestResult;
  readonly timestamp: string;
  readonly successes: number;
  readonly failures: number;
  readonly warnings: number;
  readonly namespace?: string;
  readonly note?: string;
}

export type ParsedTestOutput =
  | { readonly kind: "valid"; readonly output: TestOutput }
  | { readonly kind: "malformed"; readonly problems: readonly string[] };

/** Seconds since 1970, or a time whose zone may be left out. */
const timestampPattern = /^(?:\d{10}|\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})?)$/;
/** Tekton stores at most a few KiB of results. */
const longestOutput = 64 * 1024;

export function parseTestOutput(text: string): ParsedTestOutput {
  if (text.length > longestOutput) return malformed(`is longer than ${longestOutput / 1024} KiB`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return malformed("is not JSON");
  }
  if (!isRecord(value)) return malformed("is not a JSON object");
  const problems = problemsOf(value);
  const { result, timestamp, successes, failures, warnings, namespace, note } = value;
  if (problems.length > 0 || !isTestResult(result)) return { kind: "malformed", problems };
  return {
    kind: "valid",
    output: {
      result,
      timestamp: String(timestamp),
      successes: Number(successes),
      failures: Number(failures),
      warnings: Number(warnings),
      ...(typeof namespace === "string" ? { namespace } : {}),
      ...(typeof note === "string" ? { note } : {}),
    },
  };
}

function problemsOf(value: Readonly<Record<string, unknown>>): string[] {
  const { result, timestamp } = value;
  const problems: string[] = [];
  if (!isTestResult(result)) problems.push(`result: expected one of ${testResults.join(", ")}, got ${show(result)}`);
  if (typeof timestamp !== "string" || !timestampPattern.test(timestamp)) {
    problems.push(`timestamp: expected ten digits or a time like 2026-01-02T03:04:05Z, got ${show(timestamp)}`);
  }
  for (const count of ["successes", "failures", "warnings"]) {
    const given = value[count];
    if (typeof given !== "number" || !Number.isInteger(given) || given < 0)
      problems.push(`${count}: expected a number of at least 0, got ${show(given)}`);
  }
  for (const text of ["namespace", "note"]) {
    if (value[text] !== undefined && typeof value[text] !== "string")
      problems.push(`${text}: expected text, got ${show(value[text])}`);
  }
  return problems;
}

function isTestResult(value: unknown): value is TestResult {
  return testResults.some((result) => result === value);
}

function show(value: unknown): string {
  return value === undefined ? "nothing" : JSON.stringify(value).slice(0, 60);
}

function malformed(problem: string): ParsedTestOutput {
  return { kind: "malformed", problems: [problem] };
}
