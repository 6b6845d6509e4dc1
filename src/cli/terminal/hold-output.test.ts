import { expect, test } from "vitest";
import { FakeShell } from "../fake-shell.fixture.ts";
import { holdOutput } from "./hold-output.ts";

test("held output appears when it is released, in its order, and what follows appears at once", () => {
  const { stdout } = new FakeShell();
  const held = holdOutput(stdout);
  held.write("one ");
  held.write("two ");
  expect(stdout.text).toBe("");
  stdout.write("between ");
  held.release();
  held.write("three ");
  held.release();
  expect(stdout.text).toBe("between one two three ");
});
