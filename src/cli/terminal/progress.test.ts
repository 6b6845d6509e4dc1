import { describe, expect, test } from "vitest";
import { FakeClock } from "../../base/fake-clock.fixture.ts";
import { FakeShell } from "../fake-shell.fixture.ts";
import { showProgress } from "./progress.ts";

describe("off a terminal", () => {
  test("off a terminal, progress prints a line per phase, and one every 30 s within it", async () => {
    const { stderr } = new FakeShell();
    const clock = new FakeClock();
    {
      using progress = showProgress(stderr, {}, clock);
      progress.note("this takes a while");
      progress.update("compile", "compiling 1 %");
      progress.update("compile", "compiling 2 %");
      await clock.advance(29_999);
      progress.update("compile", "compiling 3 %");
      await clock.advance(1);
      progress.update("compile", "compiling 4 %");
      progress.update("compile", "compiling 5 %");
      progress.update("link", "linking");
    }
    expect(stderr.text).toBe("this takes a while\ncompiling 1 %\ncompiling 4 %\nlinking\n");
  });
});

describe("on a terminal", () => {
  test("on a terminal, progress redraws one line that fits, and leaves only the notes", () => {
    const { stderr } = new FakeShell({ columns: 20 });
    {
      using progress = showProgress(stderr, {}, new FakeClock());
      progress.update("compile", "compiling 1 %");
      progress.note("this takes a while");
      progress.update("compile", "compiling something that has a long name");
    }
    const drawn = stderr.text.split("\r\u001B[K");
    expect(drawn).toEqual(["", "compiling 1 %", "this takes a while\n", "compiling 1 %", "compiling somethin…", ""]);
  });

  test("on a terminal of unknown size, progress redraws its line", () => {
    const { stderr } = new FakeShell({ columns: 0 });
    using progress = showProgress(stderr, {}, new FakeClock());
    progress.update("compile", "compiling 1 %");
    expect(stderr.text).toContain("compiling 1 %");
  });

  test("with NO_COLOR or in CI, progress prints plain lines", () => {
    for (const env of [{ NO_COLOR: "1" }, { CI: "1" }]) {
      const { stderr } = new FakeShell({ columns: 20 });
      using progress = showProgress(stderr, env, new FakeClock());
      progress.update("compile", "compiling 1 %");
      expect(stderr.text).toBe("compiling 1 %\n");
    }
  });
});
