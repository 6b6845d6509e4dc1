import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";

const checkout = join(import.meta.dirname, "..", "..");

/** What a bash that has sourced our script would offer at the end of these words. */
async function completeInBash(...words: string[]): Promise<string[]> {
  const script = `
    source <(tenon completion bash)
    COMP_WORDS=(tenon "$@")
    COMP_CWORD=$#
    "$(complete -p tenon | sed 's/.*-F \\([^ ]*\\).*/\\1/')"
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = await promisify(execFile)("bash", ["--norc", "-c", script, "bash", ...words], {
    env: { PATH: `${join(checkout, "bin")}:${process.env["PATH"]}`, XDG_DATA_HOME: "/nonexistent" },
  });
  expect(stderr).toBe("");
  return stdout.split("\n").filter((line) => line !== "");
}

describe("in bash", () => {
  test.for([
    { words: ["cluster", "st"], candidates: ["start", "stop", "status"] },
    { words: ["cluster", "status", "--output", "=", "y"], candidates: ["yaml"] },
    { words: ["doctor", "--ou"], candidates: ["--output"] },
  ])("$words -> $candidates", async ({ words, candidates }) => {
    expect(await completeInBash(...words)).toEqual(candidates);
  });
});
