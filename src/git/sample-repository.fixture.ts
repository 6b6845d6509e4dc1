import { execFileSync } from "node:child_process";
import { mkdir, mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** A git repository for a test; disposing deletes it. */
export interface SampleRepository extends AsyncDisposable {
  readonly path: string;
  /** Runs git as a developer would. */
  git(...args: string[]): string;
  /** Commits these files and returns the hash. */
  commit(files: Readonly<Record<string, string>>): Promise<string>;
}

const identity = {
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_AUTHOR_DATE: "1763200000 +0000",
  GIT_COMMITTER_DATE: "1763200000 +0000",
};

export async function sampleRepository(): Promise<SampleRepository> {
  const directory = await mkdtempDisposable(join(tmpdir(), "tenon-git-"));
  const { path } = directory;
  function git(...args: string[]): string {
    const who = ["-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "init.defaultBranch=main"];
    return execFileSync("git", [...who, ...args], {
      cwd: path,
      env: { ...process.env, ...identity },
      encoding: "utf8",
      stdio: "pipe",
    }).trim();
  }
  git("init", "--quiet");
  return {
    path,
    git,
    async commit(files) {
      for (const [file, content] of Object.entries(files)) {
        await mkdir(dirname(join(path, file)), { recursive: true });
        await writeFile(join(path, file), content);
      }
      git("add", "--all");
      git("commit", "--quiet", "--allow-empty", "--message", "change");
      return git("rev-parse", "HEAD");
    },
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}
