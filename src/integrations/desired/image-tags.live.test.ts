import { expect, test } from "vitest";
import { sampleRepository } from "../../git/sample-repository.fixture.ts";
import { createRefResolver } from "./image-tags.ts";

const { signal } = new AbortController();

test("B-35: branches, tags and commits resolve to their commit, and each ref is asked for once", async () => {
  await using repository = await sampleRepository();
  const first = await repository.commit({ a: "1" });
  repository.git("tag", "light");
  repository.git("tag", "-a", "-m", "x", "heavy");
  repository.git("branch", "team/main");
  const second = await repository.commit({ a: "2" });
  const resolveRef = createRefResolver();
  const url = `file://${repository.path}`;
  expect(await resolveRef(url, "main", signal)).toBe(second);
  expect(await resolveRef(url, "team/main", signal)).toBe(first);
  expect(await resolveRef(url, "light", signal)).toBe(first);
  expect(await resolveRef(url, "heavy", signal)).toBe(first);
  expect(await resolveRef(url, "HEAD", signal)).toBe(second);
  expect(await resolveRef(url, "refs/heads/main", signal)).toBe(second);
  await repository.commit({ a: "3" });
  expect(await resolveRef(url, "main", signal)).toBe(second);
});

test("a commit is itself, whole or short, and no repository is asked for a whole one", async () => {
  await using repository = await sampleRepository();
  await repository.commit({ a: "1" });
  const resolveRef = createRefResolver();
  expect(await resolveRef("file:///does/not/exist", "a".repeat(40), signal)).toBe("a".repeat(40));
  expect(await resolveRef(`file://${repository.path}`, "abc1234", signal)).toBe("abc1234");
});

test("a ref that does not exist is an error that lists the existing ones", async () => {
  await using repository = await sampleRepository();
  await repository.commit({ a: "1" });
  const resolveRef = createRefResolver();
  await expect(resolveRef(`file://${repository.path}`, "release", signal)).rejects.toThrow(
    /branch, tag or commit release not found.*main/,
  );
  await expect(resolveRef("file:///does/not/exist", "main", signal)).rejects.toThrow(/repository not found/);
  await expect(resolveRef("--upload-pack=x", "main", signal)).rejects.toThrow("git ls-remote failed");
});
