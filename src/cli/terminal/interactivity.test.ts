import { describe, expect, test } from "vitest";
import { FakeShell } from "../fake-shell.fixture.ts";
import { canAsk, canRedraw, hasColour } from "./interactivity.ts";
import { paint } from "./paint.ts";

describe("colour, redrawn lines and questions", () => {
  test.for([
    { isTerminal: true, env: {}, may: "colour redraw ask", reason: "a person watches it" },
    { isTerminal: false, env: {}, may: "", reason: "it is a pipe" },
    { isTerminal: true, env: { CI: "true" }, may: "", reason: "no person watches a terminal in CI" },
    { isTerminal: true, env: { CI: "false" }, may: "colour redraw ask", reason: "CI is false" },
    { isTerminal: true, env: { CI: "" }, may: "colour redraw ask", reason: "empty is unset" },
    { isTerminal: true, env: { NO_COLOR: "1" }, may: "ask", reason: "NO_COLOR does not rule out questions" },
    { isTerminal: true, env: { NO_COLOR: "" }, may: "colour redraw ask", reason: "empty is unset" },
    { isTerminal: true, env: { TERM: "dumb" }, may: "ask", reason: "a dumb terminal cannot redraw" },
    { isTerminal: false, env: { FORCE_COLOR: "1" }, may: "colour", reason: "FORCE_COLOR is set" },
    {
      isTerminal: false,
      env: { FORCE_COLOR: "1", NO_COLOR: "1" },
      may: "colour",
      reason: "FORCE_COLOR overrides NO_COLOR",
    },
    { isTerminal: true, env: { FORCE_COLOR: "0" }, may: "redraw ask", reason: "forced off" },
  ])("terminal $isTerminal with $env: $may, because $reason", ({ isTerminal, env, may }) => {
    const shell = new FakeShell({ env, ...(isTerminal ? { columns: 80 } : {}) });
    const allowed = {
      colour: hasColour(shell.stdout, env),
      redraw: canRedraw(shell.stderr, env),
      ask: canAsk(shell),
    };
    const names = Object.entries(allowed).flatMap(([name, isAllowed]) => (isAllowed ? [name] : []));
    expect(names.join(" ")).toBe(may);
  });

  test("paint colours only where colour is allowed", () => {
    const { stdout } = new FakeShell({ columns: 80 });
    expect(paint("red", "x", stdout, {})).toBe("\u001B[31mx\u001B[39m");
    expect(paint("red", "x", stdout, { NO_COLOR: "1" })).toBe("x");
  });
});
