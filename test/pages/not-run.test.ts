import { expect, test } from "vitest";
import { firstPages } from "../first-hour/run.ts";
import { notRun } from "./not-run.ts";
import { readPage } from "./read-page.ts";

test("each command that is listed as not run is on its page", async () => {
  for (const { page, typed } of notRun) {
    const commands = (await readPage(page)).flatMap((block) => block.commands);
    expect(
      commands.filter((command) => command.typed.startsWith(typed)),
      `${page}: ${typed}`,
    ).not.toEqual([]);
  }
});

test("every page of the first hour has commands to type", async () => {
  for (const page of firstPages) expect((await readPage(page)).length).toBeGreaterThan(1);
});
