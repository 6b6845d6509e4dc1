import { glob } from "node:fs/promises";
import { expect, test } from "vitest";
import { firstPages } from "../first-hour/run.ts";
import { checkout, readPage } from "./read-page.ts";
import { scenes } from "./scenes.ts";

const patterns = ["README.md", "docs/tutorials/*.md", "docs/how-to/*.md", "examples/**/README.md"];
const run = new Set([...firstPages, ...scenes.map(({ page }) => page)]);

test("every command of README, tutorials, how-to pages and examples is run by a test, or its page says why not", async () => {
  const pages = (await Array.fromAsync(glob(patterns, { cwd: checkout }))).toSorted();
  expect(pages.length).toBeGreaterThan(35);
  const forgotten: string[] = [];
  for (const page of pages.filter((each) => !run.has(each))) {
    const commands = (await readPage(page)).flatMap((block) => block.commands);
    const unexcused = commands.filter(({ notRun }) => notRun === undefined);
    forgotten.push(...unexcused.map(({ line, typed }) => `${page}:${line}: ${typed.split("\n", 1)[0]}`));
  }
  expect(
    forgotten,
    `commands that are neither run nor listed. Either let a test type it: add the page to test/pages/scenes.ts, and try it with
\`node test/pages/play-scenes.ts PAGE\`. Or say why none can, in a comment above the block: <!-- not run: needs a cloud -->,
or <!-- not run, docker: needs docker --> for the commands that begin with docker.`,
  ).toEqual([]);
});

test("every page that is listed as run has a command that is run", async () => {
  for (const page of run) {
    const commands = (await readPage(page)).flatMap((block) => block.commands);
    expect(
      commands.filter(({ notRun }) => notRun === undefined),
      `commands of ${page}`,
    ).not.toEqual([]);
  }
});

test("no page is listed twice as run", () => {
  expect(run.size).toBe(firstPages.length + scenes.length);
});
