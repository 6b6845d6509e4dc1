import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import { InputError } from "#base";
import { FakeShell } from "../fake-shell.fixture.ts";
import { confirm } from "./confirm.ts";

describe("confirm", () => {
  test.for([
    { typed: ["y"], isYes: true },
    { typed: ["YES "], isYes: true },
    { typed: ["n"], isYes: false },
    { typed: [""], isYes: false },
    { typed: ["yesterday"], isYes: false },
    { typed: [], isYes: false },
  ])("$typed is $isYes", async ({ typed, isYes }) => {
    const shell = new FakeShell({ typed });
    expect(await confirm("delete it?", shell, shell.signal)).toBe(isYes);
    expect(shell.stderr.text).toMatch(/^delete it\? \[y\/N\] \n?$/);
    expect(shell.stdout.text).toBe("");
  });

  test.for([
    { options: {}, reason: "off a terminal" },
    { options: { typed: ["y"], env: { CI: "true" } }, reason: "in CI" },
  ])("$reason it refuses and names --yes", async ({ options }) => {
    const shell = new FakeShell(options);
    const refusal = confirm("delete it?", shell, shell.signal);
    await expect(refusal).rejects.toThrow(InputError);
    await expect(refusal).rejects.toThrow(/delete it\?; .*--yes/);
    expect(shell.stderr.text).toBe("");
  });

  test("confirm rejects with the signal's reason while it waits", async () => {
    const controller = new AbortController();
    const { stderr } = new FakeShell({ typed: [] });
    const stdin = Object.assign(new PassThrough(), { isTTY: true });
    const answer = confirm("delete it?", { stdin, stderr, env: {} }, controller.signal);
    controller.abort(new Error("interrupted"));
    await expect(answer).rejects.toThrow("interrupted");
  });
});
