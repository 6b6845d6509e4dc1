import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, constants, copyFile, mkdir, mkdtempDisposable, open, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";

const checkout = join(import.meta.dirname, "..", "..");
const tenon = join(checkout, "bin", "tenon");

interface Start {
  readonly program?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
}

/** Passes only the PATH of the environment, so that results in CI and on terminals are the same. */
function start(words: readonly string[], { program = tenon, env = {}, cwd = checkout }: Start = {}) {
  const child = spawn(program, words, { cwd, env: { PATH: process.env["PATH"], ...env } });
  return { child, outcome: finish(child) };
}

async function finish(child: ChildProcessWithoutNullStreams) {
  const ended = once(child, "close");
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [exitCode] = await ended;
  return { exitCode, stdout, stderr };
}

/** A directory for the PATH whose `git` signals that it runs, and then does not end. */
async function makeEndlessGit() {
  const directory = await mkdtempDisposable(join(tmpdir(), "tenon-cli-"));
  const git = join(directory.path, "git");
  const fifo = join(directory.path, "running");
  await writeFile(git, `#!/bin/sh\necho > ${fifo}\nexec sleep 60\n`);
  await chmod(git, 0o755);
  await once(spawn("mkfifo", [fifo]), "close");
  return {
    env: {
      PATH: `${directory.path}:${process.env["PATH"]}`,
      XDG_CACHE_HOME: directory.path,
      XDG_DATA_HOME: directory.path,
    },
    /** Resolves when `git` runs. */
    isRunning: () => once(spawn("cat", [fifo]), "close"),
    async [Symbol.asyncDispose]() {
      // A `git` whose signal was not read waits for a reader, and would wait forever once the fifo is gone.
      await using _ = await open(fifo, constants.O_RDONLY | constants.O_NONBLOCK);
      await directory[Symbol.asyncDispose]();
    },
  };
}

describe("bin/tenon", () => {
  test("bin/tenon works through symbolic links, without a home", async () => {
    await using directory = await mkdtempDisposable(join(tmpdir(), "tenon-cli-"));
    await mkdir(join(directory.path, "a"));
    await symlink(tenon, join(directory.path, "a", "absolute"));
    await symlink("a/absolute", join(directory.path, "tenon"));
    const outcome = await start(["--version"], { program: "./tenon", cwd: directory.path }).outcome;
    expect(outcome).toEqual({ exitCode: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/), stderr: "" });
  });

  test("bin/tenon without node_modules says what to run, and where", async () => {
    await using directory = await mkdtempDisposable(join(tmpdir(), "tenon-cli-"));
    await mkdir(join(directory.path, "bin"));
    await copyFile(tenon, join(directory.path, "bin", "tenon"));
    const { exitCode, stderr } = await start([], { program: join(directory.path, "bin", "tenon") }).outcome;
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`run "make install" in ${directory.path} first`);
  });
});

describe("the process", () => {
  test.for([
    { signal: "SIGINT", exitCode: 130 },
    { signal: "SIGTERM", exitCode: 143 },
  ] as const)("the process ends with $exitCode after $signal, without a message", async ({ signal, exitCode }) => {
    await using git = await makeEndlessGit();
    const { child, outcome } = start(["doctor"], git);
    await git.isRunning();
    child.kill(signal);
    expect(await outcome).toEqual({ exitCode, stdout: "", stderr: "" });
  });

  test("a second signal ends the process at once, even during cleanup", async () => {
    const exits = join(import.meta.dirname, "exits.ts");
    const script = `
      const { abortOnSignals } = await import(${JSON.stringify(exits)});
      const controller = new AbortController();
      abortOnSignals(controller);
      controller.signal.onabort = () => console.log("cleaning up");
      setInterval(() => {}, 1000);
      console.log("running");`;
    const { child, outcome } = start(["--input-type=module", "--eval", script], { program: process.execPath });
    await once(child.stdout, "data");
    child.kill("SIGINT");
    await once(child.stdout, "data");
    expect(child.exitCode).toBeNull();
    child.kill("SIGINT");
    expect((await outcome).exitCode).toBe(130);
  });

  test("the process exits with 0 and no message when the reader of its output is gone", async () => {
    const pipeline = `${tenon} --help | sh -c 'exec 0<&-'; echo "\${PIPESTATUS[0]}"`;
    const { outcome } = start(["--norc", "-c", pipeline], { program: "bash" });
    expect(await outcome).toEqual({ exitCode: 0, stdout: "0\n", stderr: "" });
  });

  test("an unhandled rejection is reported with a message and no stack", async () => {
    await using git = await makeEndlessGit();
    const forget = `data:text/javascript,${encodeURIComponent(`
      const timer = setInterval(() => {
        if (process.listenerCount("unhandledRejection") === 0) return;
        clearInterval(timer);
        Promise.reject(new Error("forgotten"));
      }, 5);`)}`;
    const { outcome } = start(["doctor"], { env: { ...git.env, NODE_OPTIONS: `--import=${forget}` } });
    expect(await outcome).toEqual({ exitCode: 1, stdout: "", stderr: "error: forgotten\n" });
  });

  test("a question on a terminal can be answered with no", async () => {
    await using directory = await mkdtempDisposable(join(tmpdir(), "tenon-cli-"));
    const instance = join(directory.path, "tenon", "clusters", "default");
    await mkdir(instance, { recursive: true });
    await writeFile(join(instance, "instance.json"), '{"kubernetes":"v1.37.1","port":1,"fakeNodes":0}');
    const { child, outcome } = start(["-qec", `${tenon} cluster reset`, "/dev/null"], {
      program: "script",
      env: { XDG_DATA_HOME: directory.path, TERM: "xterm" },
    });
    await once(child.stdout, "data");
    child.stdin.end("n\n");
    const { exitCode, stdout } = await outcome;
    expect(exitCode).toBe(1);
    expect(stdout).toContain(`delete ${instance} with everything in it? [y/N] `);
    expect(stdout).toContain("\u001B[31merror:\u001B[39m instance default was not deleted");
  });
});
