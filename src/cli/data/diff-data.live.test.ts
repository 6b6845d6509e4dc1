import { rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sampleRepository } from "../../git/sample-repository.fixture.ts";
import { FakeShell } from "../fake-shell.fixture.ts";
import { runCommandLine } from "../run-command-line.ts";

const app = (code: string) => `$schema: /app-sre/app-1.yml\nname: a\nappCode: ${code}\n`;

async function diff(...words: string[]) {
  const shell = new FakeShell();
  const exitCode = await runCommandLine(["data", "diff", ...words], shell);
  return {
    exitCode,
    lines: shell.stdout.text
      .split("\n")
      .slice(1, -1)
      .map((line) => line.replaceAll(/ +/g, " ")),
  };
}

test("`tenon data diff` compares two commits of a repository, or a commit with uncommitted changes", async () => {
  await using repository = await sampleRepository();
  await repository.commit({ "data/a.yml": app("one"), "data/b.yml": app("b") });
  repository.git("tag", "v1");
  await repository.commit({ "data/a.yml": app("two") });
  const change = "changed data/a.yml appCode one two";
  expect(await diff("--repository", repository.path, "v1", "main")).toEqual({ exitCode: 0, lines: [change] });
  expect(await diff(`${repository.path}#v1`, `${repository.path}#HEAD`)).toEqual({ exitCode: 0, lines: [change] });
  await rm(join(repository.path, "data/b.yml"));
  const uncommitted = await diff("--repository", repository.path, "v1", ".");
  expect(uncommitted, "`.` is the working directory of the repository").toEqual(
    await diff(`${repository.path}#v1`, repository.path),
  );
  expect(await diff(`${repository.path}#v1`, repository.path)).toEqual({
    exitCode: 0,
    lines: [change, "removed data/b.yml - /app-sre/app-1.yml a -"],
  });
});
