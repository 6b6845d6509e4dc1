import { describe, expect, test } from "vitest";
import { readHelmIgnore } from "./helm-ignore.ts";

const files = [
  "Chart.yaml",
  "README.md",
  "docs/README.md",
  "docs/a/b.txt",
  "templates/x.yaml",
  "templates/.hidden",
  ".git",
];

/** What is left of the files; a directory that is ignored takes its files with it. */
function left(text: string): string[] {
  const ignores = readHelmIgnore(text, ".helmignore");
  return files.filter((path) => {
    const parts = path.split("/");
    const folders = parts.slice(0, -1).map((_, index) => parts.slice(0, index + 1).join("/"));
    return !folders.some((folder) => ignores(folder, true)) && !ignores(path, false);
  });
}

const visible = files.filter((path) => path !== "templates/.hidden");

describe("readHelmIgnore", () => {
  test.each([
    { text: "", gone: [], reason: "hidden files of templates, always" },
    { text: "# README.md\n\n", gone: [], reason: "nothing for comments and blank lines" },
    { text: "README.md", gone: ["README.md", "docs/README.md"], reason: "a name, in every folder" },
    { text: "/README.md", gone: ["README.md"], reason: "a name at the top" },
    { text: "docs/README.md", gone: ["docs/README.md"], reason: "a path" },
    { text: "docs/", gone: ["docs/README.md", "docs/a/b.txt"], reason: "a folder" },
    { text: "README.md/", gone: [], reason: "no file for the name of a folder" },
    { text: "*.md\n*.txt", gone: ["README.md", "docs/README.md", "docs/a/b.txt"], reason: "what matches a pattern" },
    { text: "\ufeff.git", gone: [".git"], reason: "a name after a byte order mark" },
  ])(".helmignore leaves out $reason", ({ text, gone }) => {
    expect(left(text)).toEqual(visible.filter((path) => !gone.includes(path)));
  });

  test("a negated pattern of .helmignore leaves out everything else, as in Helm", () => {
    expect(left("!*.yaml")).toEqual(["Chart.yaml"]);
  });

  test.each([
    { text: "a\n**/b", said: ".helmignore:2: ** is not supported" },
    { text: "[a", said: '.helmignore:1: "[a" is not a valid pattern' },
  ])(".helmignore with $text is refused with its line", ({ text, said }) => {
    expect(() => readHelmIgnore(text, ".helmignore")).toThrow(said);
  });
});
