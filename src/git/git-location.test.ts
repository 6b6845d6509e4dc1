import { describe, expect, test } from "vitest";
import { isRemoteRepository, parseGitLocation } from "./git-location.ts";

describe("where a tree in git is", () => {
  test.each([
    {
      text: "https://host/team/data.git",
      repository: "https://host/team/data.git",
      ref: "HEAD",
      directory: "",
      reason: "the newest, whole",
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
      reason: "as ssh writes it",
    },
    { text: "../data#main", repository: "../data", ref: "main", directory: "", reason: "a local repository" },
    { text: "data#:folder", repository: "data", ref: "HEAD", directory: "folder", reason: "a folder without a ref" },
  ])("$text: $reason", ({ text, repository, ref, directory }) => {
    expect(parseGitLocation(text)).toEqual({ repository, ref, directory });
  });
});

describe("names that git would take for something else are refused", () => {
  test.each(["--upload-pack=touch /tmp/x", "-x", "a..b", "a b", "a~1", "a^", "@{-1}", "a\u0000b", "refs//x", "x.lock"])(
    "%j",
    (ref) => {
      expect(() => parseGitLocation(`https://host/data#${ref}`)).toThrow(/cannot be the name|leaves/);
    },
  );

  test("a folder outside of the repository", () => {
    expect(() => parseGitLocation("https://host/data#main:../other")).toThrow("leaves the repository");
  });

  test("a password, which would end in logs and process lists, and is not repeated", () => {
    expect(() => parseGitLocation("https://user:hunter22@host/data#main")).toThrow(
      /^the address https:\/\/user:\*\*\*@host\/data has a password in it, which others could read; leave it out(?!.*hunter22)/,
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
])("$text is elsewhere: $isRemote", ({ text, isRemote }) => {
  expect(isRemoteRepository(text)).toBe(isRemote);
});
