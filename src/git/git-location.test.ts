import { describe, expect, test } from "vitest";
import { isRemoteRepository, parseGitLocation } from "./git-location.ts";

describe("parseGitLocation reads", () => {
  test.each([
    {
      text: "https://host/team/data.git",
      repository: "https://host/team/data.git",
      ref: "HEAD",
      directory: "",
      reason: "the default branch, whole repository",
    },
    {
      text: "https://host/data.git#main",
      repository: "https://host/data.git",
      ref: "main",
      directory: "",
      reason: "a branch",
    },
    {
      text: "git+https://host/data#v1.2:some/where/",
      repository: "https://host/data",
      ref: "v1.2",
      directory: "some/where",
      reason: "a folder of a tag",
    },
    {
      text: "git@host:team/data.git#feature/x",
      repository: "git@host:team/data.git",
      ref: "feature/x",
      directory: "",
      reason: "an ssh address",
    },
    { text: "../data#main", repository: "../data", ref: "main", directory: "", reason: "a local repository" },
    { text: "data#:folder", repository: "data", ref: "HEAD", directory: "folder", reason: "a folder without a ref" },
  ])("$text: $reason", ({ text, repository, ref, directory }) => {
    expect(parseGitLocation(text)).toEqual({ repository, ref, directory });
  });
});

describe("parseGitLocation rejects", () => {
  test.each(["--upload-pack=touch /tmp/x", "-x", "a..b", "a b", "a~1", "a^", "@{-1}", "a\u0000b", "refs//x", "x.lock"])(
    "%j",
    (ref) => {
      expect(() => parseGitLocation(`https://host/data#${ref}`)).toThrow(/is not a valid branch|is outside/);
    },
  );

  test("an ancestor of a commit, and says how to write it", () => {
    expect(() => parseGitLocation(".#HEAD~1")).toThrow(/write the commit itself, which `git rev-parse HEAD~1` prints$/);
  });

  test("a folder outside the repository", () => {
    expect(() => parseGitLocation("https://host/data#main:../other")).toThrow("is outside the repository");
  });

  test("a password, and does not repeat it in the error", () => {
    expect(() => parseGitLocation("https://user:hunter22@host/data#main")).toThrow(
      /^the address https:\/\/user:\*\*\*@host\/data contains a password; remove it(?!.*hunter22)/,
    );
  });
});

test.each([
  { text: "https://host/x", isRemote: true },
  { text: "ssh://git@host/x", isRemote: true },
  { text: "git@host:x", isRemote: true },
  { text: "file:///x", isRemote: true },
  { text: "ext::sh -c whoami", isRemote: false },
  { text: "data", isRemote: false },
  { text: "./a@b/c", isRemote: false },
  { text: "C:\\data", isRemote: false },
])("isRemoteRepository($text) is $isRemote", ({ text, isRemote }) => {
  expect(isRemoteRepository(text)).toBe(isRemote);
});
