import { expect, test } from "vitest";
import { FakeShell } from "../fake-shell.fixture.ts";
import { LazyCommand } from "../lazy-command.ts";
import { applyCommand, planCommand } from "../manage/manage-commands.ts";
import { withLiveLine } from "./live-line.ts";

const clearLine = "\r\u001B[K";

test.each([
  { name: "plan", declare: planCommand, reason: "it only shows" },
  { name: "apply", declare: applyCommand, reason: "it plans first" },
])("on a terminal, `tenon $name` says what it does before it loads anything", async ({ declare }) => {
  const shell = new FakeShell({ columns: 80 });
  const command = new LazyCommand();
  declare(command, shell);
  const done = command.parseAsync(["--data", "/proc/nowhere"], { from: "user" });
  expect(shell.stderr.text).toBe(`${clearLine}reading the data`);
  await expect(done).rejects.toThrow("/proc/nowhere");
  expect(shell.stderr.text.endsWith(clearLine), "the line is cleared before the error is reported").toBe(true);
});

test("whatever a command prints replaces the line, and the next progress draws it again", () => {
  const shell = new FakeShell({ columns: 20 });
  {
    using live = withLiveLine(shell, "reading");
    live.progress?.("reading the clusters: 1 of 200 lists");
    live.stderr.write("warning: something\n");
    live.stdout.write("1 unchanged\n");
    live.progress?.("applying: 1 of 2");
  }
  const drawn = shell.stderr.text.split(clearLine);
  expect(drawn).toEqual(["", "reading", "reading the cluste…", "warning: something\n", "applying: 1 of 2", ""]);
  expect(shell.stdout.text).toBe("1 unchanged\n");
});

test("off a terminal, in CI and with NO_COLOR, no line is shown", () => {
  for (const options of [{}, { columns: 80, env: { CI: "1" } }, { columns: 80, env: { NO_COLOR: "1" } }]) {
    const shell = new FakeShell(options);
    using live = withLiveLine(shell, "reading");
    live.progress?.("reading the clusters");
    expect(shell.stderr.text).toBe("");
  }
});
