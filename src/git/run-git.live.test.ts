import { once } from "node:events";
import { access, chmod, mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { InputError } from "#base";
import { GitError } from "./git-error.ts";
import { findCommit, listFiles, prefixInRepository, readBlobs } from "./repository.ts";
import { runGit } from "./run-git.ts";
import { sampleRepository } from "./sample-repository.fixture.ts";

const { signal } = new AbortController();

describe("runGit", () => {
  test("ignores the user's configuration, which may start programs", async () => {
    await using repository = await sampleRepository();
    await repository.commit({ a: "a" });
    const home = join(repository.path, "home");
    await mkdir(home);
    await writeFile(join(home, ".gitconfig"), "[alias]\nrev-parse = !touch pwned\n[user]\nname = Someone\n");
    const env = { ...process.env, HOME: home, GIT_CONFIG_GLOBAL: join(home, ".gitconfig"), GIT_DIR: "/nowhere" };
    const run = (...args: string[]) => runGit(args, { directory: repository.path, env }, signal);
    await expect(run("config", "user.name")).rejects.toThrow(GitError);
    expect((await run("rev-parse", "--show-toplevel")).toString().trim()).toBe(repository.path);
  });

  test("ignores the repository's hooks, pager and file system monitor", async () => {
    await using repository = await sampleRepository();
    await repository.commit({ a: "a" });
    const trap = join(repository.path, "trap");
    await writeFile(trap, `#!/bin/sh\ntouch ${join(repository.path, "sprung")}\n`);
    await chmod(trap, 0o755);
    repository.git("config", "core.fsmonitor", trap);
    repository.git("config", "core.pager", trap);
    await runGit(["status"], { directory: repository.path }, signal);
    await runGit(["log"], { directory: repository.path }, signal);
    await expect(access(join(repository.path, "sprung"))).rejects.toThrow("ENOENT");
  });

  test("trusts the certificate authority of a remote, and none of the system beside it", async () => {
    await using repository = await sampleRepository();
    const remote = { repository: "https://git.example/a/b", certificateAuthorityFile: "/keys/ca.crt" };
    const shown = ["-c", "alias.shown=!env", "shown"];
    const variables = (await runGit(shown, { directory: repository.path, remote }, signal)).toString().split("\n");
    expect(variables.filter((line) => line.startsWith("GIT_SSL_")).toSorted()).toEqual([
      "GIT_SSL_CAINFO=/keys/ca.crt",
      "GIT_SSL_CAPATH=/dev/null",
    ]);
    const others = (await runGit(shown, { directory: repository.path }, signal)).toString();
    expect(others).not.toContain("GIT_SSL_CAPATH");
  });

  test("allows no protocol that starts a program", async () => {
    await using repository = await sampleRepository();
    const address = `ext::sh -c touch% ${join(repository.path, "sprung")}`;
    const fetch = runGit(["fetch", "--end-of-options", address, "main"], { directory: repository.path }, signal);
    await expect(fetch).rejects.toThrow("transport 'ext' not allowed");
    await expect(access(join(repository.path, "sprung"))).rejects.toThrow("ENOENT");
  });

  test("stops when its signal aborts", async () => {
    await using repository = await sampleRepository();
    // Accepts connections and never answers.
    await using server = createServer((socket) => socket.resume()).listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    const port = typeof address === "object" && address ? address.port : 0;
    const stop = new AbortController();
    const reason = new Error("stop");
    const connected = once(server, "connection");
    const fetching = runGit(["fetch", `git://127.0.0.1:${port}/x`], { directory: repository.path }, stop.signal);
    await connected;
    stop.abort(reason);
    await expect(fetching).rejects.toBe(reason);
  });

  test("gives up on a server that is silent", async () => {
    await using repository = await sampleRepository();
    await using server = createServer((socket) => socket.resume()).listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    const port = typeof address === "object" && address ? address.port : 0;
    const run = (...args: string[]) => runGit(args, { directory: repository.path }, signal);
    expect((await run("config", "http.lowSpeedTime")).toString()).toBe("120\n");
    // The same limit, but not two minutes.
    const reading = run("-c", "http.lowSpeedTime=1", "ls-remote", `http://127.0.0.1:${port}/x`);
    await expect(reading).rejects.toThrow("Operation too slow");
    const env = { ...process.env, GIT_SSH_COMMAND: "touch pwned" };
    const shown = await runGit(
      ["-c", "alias.show-ssh=!echo $GIT_SSH_COMMAND", "show-ssh"],
      { directory: repository.path, env },
      signal,
    );
    expect(shown.toString()).toContain("-o ConnectTimeout=30 -o ServerAliveInterval=30 -o ServerAliveCountMax=4");
  });

  test("throws git's exit code and error output", async () => {
    await using repository = await sampleRepository();
    const failing = runGit(["rev-parse", "nothing"], { directory: repository.path }, signal);
    await expect(failing).rejects.toMatchObject({ exitCode: 128, output: expect.stringContaining("unknown revision") });
  });

  test("throws an InputError when the directory does not exist", async () => {
    await expect(runGit(["version"], { directory: "/nowhere/at/all" }, signal)).rejects.toThrow(InputError);
  });
});

describe("a repository can be read", () => {
  test("by commit, folder and content, with any file names", async () => {
    await using repository = await sampleRepository();
    const hash = await repository.commit({ "data/ä b\n.yml": "one\n", "data/-x": "", other: "other" });
    expect(await findCommit(repository.path, "main", signal)).toEqual({ hash, timestamp: "1763200000" });
    expect(await findCommit(repository.path, "gone", signal)).toBeUndefined();
    const files = await listFiles(repository.path, hash, "data", signal);
    expect(files.map(({ path }) => path)).toEqual(["data/-x", "data/ä b\n.yml"]);
    const contents = await readBlobs(
      repository.path,
      files.map(({ blob }) => blob),
      signal,
    );
    expect(contents.map((content) => content.toString())).toEqual(["", "one\n"]);
  });

  test("from a folder inside it", async () => {
    await using repository = await sampleRepository();
    await repository.commit({ "a/b/c": "c" });
    expect(await prefixInRepository(join(repository.path, "a/b"), signal)).toBe("a/b");
    expect(await prefixInRepository(repository.path, signal)).toBe("");
    expect(await prefixInRepository("/", signal)).toBeUndefined();
  });
});
