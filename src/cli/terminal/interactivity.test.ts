import { describe, expect, test } from "vitest";
import { FakeShell } from "../fake-shell.fixture.ts";
import { canAsk, canRedraw, hasColour } from "./interactivity.ts";
import { paint } from "./paint.ts";

describe("colour, redrawn lines and questions", () => {
  test.for([
    { isTerminal: true, env: {}, may: "colour redraw ask", reason: "a person sits there" },
    { isTerminal: false, env: {}, may: "", reason: "it is a pipe" },
    { isTerminal: true, env: { CI: "true" }, may: "", reason: "nobody sits at a CI's terminal" },
    { isTerminal: true, env: { CI: "false" }, may: "colour redraw ask", reason: "it says it is none" },
    { isTerminal: true, env: { CI: "" }, may: "colour redraw ask", reason: "empty is unset" },
    { isTerminal: true, env: { NO_COLOR: "1" }, may: "ask", reason: "plain was asked for, by a person" },
    { isTerminal: true, env: { NO_COLOR: "" }, may: "colour redraw ask", reason: "empty is unset" },
    { isTerminal: true, env: { TERM: "dumb" }, may: "ask", reason: "it cannot" },
    { isTerminal: false, env: { FORCE_COLOR: "1" }, may: "colour", reason: "it was asked for" },
    {
      isTerminal: false,
      env: { FORCE_COLOR: "1", NO_COLOR: "1" },
      may: "colour",
      reason: "force is the stronger word",
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

  test("paint follows them", () => {
    const { stdout } = new FakeShell({ columns: 80 });
    expect(paint("red", "x", stdout, {})).toBe("\u001B[31mx\u001B[39m");
    expect(paint("red", "x", stdout, { NO_COLOR: "1" })).toBe("x");
  });
});
