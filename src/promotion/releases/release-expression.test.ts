import { describe, expect, test } from "vitest";
import { checkReleaseExpression, evaluateReleaseExpression } from "./release-expression.ts";

const snapshot = {
  metadata: { name: "shop-1", generation: 3, labels: { "appstudio.openshift.io/component": "web" } },
  spec: { application: "shop", components: [{ name: "web" }, { name: "api" }] },
};

function evaluate(expression: string, shouldRelease = true): boolean {
  return evaluateReleaseExpression(expression, {
    snapshot,
    now: Date.parse("2026-01-02T23:30:00Z"),
    updatedComponentIs: (name) => name === "web",
    shouldRelease: () => shouldRelease,
  });
}

describe("P32: the expression of a plan decides", () => {
  const cases: readonly (readonly [string, boolean, string])[] = [
    ["updatedComponentIs('web')", true, "the component whose build made the Snapshot"],
    ["updatedComponentIs('api')", false, "another component"],
    ["shouldRelease()", true, "what the build says"],
    ["snapshot.spec.components.size() > 1", true, "fields of the Snapshot"],
    ["snapshot.spec.components.exists(c, c.name == 'db')", false, "macros"],
    ["snapshot.metadata.generation % 2 == 1", true, "whole numbers are integers"],
    ["snapshot.metadata.labels['appstudio.openshift.io/component'] == 'web'", true, "labels"],
    ["snapshot.metadata.name.matches('^shop-[0-9]+$')", true, "regular expressions"],
    ["now.getHours() >= 22", true, "hours are those of UTC"],
    ["now.getDayOfWeek() == 5", true, "the second of January 2026 is a Friday"],
    ["has(snapshot.spec.artifacts)", false, "a field that is not there"],
    ["true", true, "a constant"],
  ];
  test.each(cases)("%s is %s: %s", (expression, expected) => {
    expect(evaluate(expression)).toBe(expected);
  });

  test("a build that says no is seen through shouldRelease() only", () => {
    expect(evaluate("shouldRelease()", false)).toBe(false);
    expect(evaluate("true", false)).toBe(true);
  });
});

describe("P32: an expression without a boolean answer is an error", () => {
  const cases: readonly (readonly [string, string, string])[] = [
    ["1 + 1", "not a boolean", "a number"],
    ["updatedComponentIs(", "cannot be evaluated", "half an expression"],
    ["unknown()", "cannot be evaluated", "no such function"],
    ["snapshot.spec.nope == 1", "cannot be evaluated", "no such field"],
    ["updatedComponentIs(1)", "cannot be evaluated", "a wrong type"],
    ["'a'.matches('(')", "cannot be evaluated", "a broken regular expression"],
  ];
  test.each(cases)("%s: %s, because it is %s", (expression, message) => {
    expect(() => evaluate(expression)).toThrow(message);
  });

  test("an expression that could grow without bounds is refused before it runs", () => {
    const bomb = `['a']${".map(a, a + a)".repeat(60)}.size() > 0`;
    expect(() => evaluate(bomb)).toThrow("60 macros");
    expect(() => evaluate(`${"true && ".repeat(200)}true`)).toThrow("characters");
    const nested = "[1].all(a, [1].all(b, [1].all(c, [1].all(d, true))))";
    expect(() => evaluate(nested)).toThrow("4 macros");
  });

  test("a regular expression that backtracking engines never finish is answered", () => {
    expect(evaluate(`'${"a".repeat(200)}!'.matches('^(a+)+$')`)).toBe(false);
  });
});

describe("P32: an expression is judged before there is a Snapshot", () => {
  const refused: readonly (readonly [string, string, string])[] = [
    ["updatedComponentIs(", "cannot be evaluated", "half an expression"],
    ["snapshot.spec.components.size( > 1", "cannot be evaluated", "a syntax error beside the Snapshot"],
    ["1 + 1", "not a boolean", "a number"],
    ["unknown()", "unknown", "no such function"],
    ["shouldRelease() && nope", "cannot be evaluated", "an unknown name that counts only if the build says yes"],
    ["snpshot.metadata.name == 'a'", "cannot be evaluated", "a misspelt Snapshot"],
    ["updatedComponentIs(1)", "cannot be evaluated", "a wrong type"],
    ["[1].all(a, [1].all(b, [1].all(c, [1].all(d, true))))", "4 macros", "too many macros"],
  ];
  test.each(refused)("%s is refused: %s, because it is %s", (expression, message) => {
    expect(() => checkReleaseExpression(expression)).toThrow(message);
  });

  test.each([
    "true",
    "updatedComponentIs('web') && shouldRelease()",
    "now.getHours() >= 22",
    "['a'].exists(one, updatedComponentIs(one))",
    "snapshot.spec.nope == 1",
    "snapshot.spec.components.exists(c, c.name == 'db')",
  ])("%s is not refused: its answer may be a boolean", (expression) => {
    expect(() => checkReleaseExpression(expression)).not.toThrow();
  });
});
