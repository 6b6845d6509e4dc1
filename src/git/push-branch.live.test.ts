import { execFileSync } from "node:child_process";
import { chmod, mkdtempDisposable, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { InputError, Secret } from "#base";
import { type CommitContent, commitFiles } from "./commit-files.ts";
import { fetchRef } from "./fetch-ref.ts";
import type { GitCredentials } from "./git-credentials.ts";
import { startGitServer } from "./serve-repositories.ts";
import { pushBranch, readRemoteHead } from "./push-branch.ts";
import { type SampleRepository, sampleRepository } from "./sample-repository.fixture.ts";

const { signal } = new AbortController();
const branch = "promotion/main/shop";

function makeKey(file: string, passphrase = ""): void {
  execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", passphrase, "-C", "tenon", "-f", file]);
}

/** A repository with one commit, a bare copy of it to work in, and a commit to push. */
async function prepare(content: Partial<CommitContent> = {}) {
  const stack = new AsyncDisposableStack();
  const remote = stack.use(await sampleRepository());
  await remote.commit({ "deploy/app.yaml": "image: a\r\n", "run.sh": "#!/bin/sh\n", "unused.txt": "x" });
  remote.git("update-index", "--chmod=+x", "run.sh");
  remote.git("commit", "--quiet", "--message", "executable");
  const cache = stack.use(await mkdtempDisposable(join(tmpdir(), "tenon-push-")));
  const base = stack.use(await fetchRef({ repository: remote.path, ref: "main" }, cache.path, signal));
  const commit = (text: string, timestamp = 1_800_000_000) =>
    commitFiles(
      base.directory,
      {
        parent: base.commit.hash,
        files: new Map([["deploy/app.yaml", Buffer.from(text)]]),
        message: "Promote shop\n\nRelease: r1\n",
        author: { name: "Tenon", email: "tenon@example.com" },
        timestamp,
        ...content,
      },
      signal,
    );
  const disposable = { [Symbol.asyncDispose]: () => stack.disposeAsync() };
  return { ...disposable, remote, base, commit, to: { repository: remote.path, branch }, cache: cache.path };
}

describe("commitFiles", () => {
  test("replaces the content of a file, and keeps the bytes, modes and files around it", async () => {
    await using world = await prepare();
    const commit = await world.commit("image: b\r\n");
    expect(await pushBranch(world.base.directory, world.to, commit, undefined, signal)).toBe("pushed");
    expect(world.remote.git("diff", "--raw", "--no-abbrev", "main", branch).split("\n")).toHaveLength(1);
    expect(execFileSync("git", ["show", `${branch}:deploy/app.yaml`], { cwd: world.remote.path }).toString()).toBe(
      "image: b\r\n",
    );
    expect(world.remote.git("ls-tree", branch, "run.sh")).toMatch(/^100755 /);
    expect(world.remote.git("log", "--format=%an <%ae> %ct %P", `main..${branch}`)).toBe(
      `Tenon <tenon@example.com> 1800000000 ${world.base.commit.hash}`,
    );
  });

  test("makes the same commit from the same content and time", async () => {
    await using world = await prepare();
    expect(await world.commit("image: b\n")).toBe(await world.commit("image: b\n"));
    expect(await world.commit("image: b\n", 1_800_000_001)).not.toBe(await world.commit("image: b\n"));
  });

  test.each([
    ["a plain name", { name: "Tenon", email: "tenon@example.com" }, "Promote shop\n\nRelease: r1\n"],
    ["what git drops from names", { name: " T<e>non, Inc.", email: "<a@b>" }, "Promote shop"],
  ])("makes the commit that git itself would make, of any path: %s", async (_, author, message) => {
    await using remote = await sampleRepository();
    const paths = ["deploy/app.yaml", 'q"uo\\te.yaml', "sp ace.yaml", "\u00fc.yaml", "line\nbreak.yaml"];
    const before = await remote.commit(Object.fromEntries(paths.map((path) => [path, "before"])));
    await using cache = await mkdtempDisposable(join(tmpdir(), "tenon-push-"));
    await using base = await fetchRef({ repository: remote.path, ref: "main" }, cache.path, signal);
    const files = new Map(paths.map((path) => [path, Buffer.from(`after\r\n\0${path}`)]));
    const content = { parent: before, files, message, author, timestamp: 1_763_200_000 };
    const commit = await commitFiles(base.directory, content, signal);
    for (const [path, bytes] of files) await writeFile(join(remote.path, path), bytes);
    remote.git("add", "--all");
    const who = ["-c", `user.name=${author.name}`, "-c", `user.email=${author.email}`];
    const tree = remote.git("write-tree");
    const expected = execFileSync("git", [...who, "commit-tree", "-p", before, tree], {
      cwd: remote.path,
      env: { ...process.env, GIT_AUTHOR_DATE: "1763200000 +0000", GIT_COMMITTER_DATE: "1763200000 +0000" },
      input: message,
      encoding: "utf8",
    });
    expect(commit).toBe(expected.trim());
    const refs = execFileSync("git", ["for-each-ref", "refs/tenon/drafts"], { cwd: base.directory, encoding: "utf8" });
    expect(refs, "no branch is left").toBe("");
  });

  test("refuses a file that the parent does not have", async () => {
    await using world = await prepare({ files: new Map([["deploy/none.yaml", Buffer.from("")]]) });
    await expect(world.commit("")).rejects.toThrow("deploy/none.yaml is not a file of commit");
  });

  test("signs the commit with an ssh key", async () => {
    await using keys = await mkdtempDisposable(join(tmpdir(), "tenon-keys-"));
    const signingKeyFile = join(keys.path, "key");
    makeKey(signingKeyFile);
    await using world = await prepare({ signingKeyFile });
    const commit = await world.commit("image: b\n");
    await pushBranch(world.base.directory, world.to, commit, undefined, signal);
    const allowed = join(keys.path, "allowed");
    await writeFile(allowed, `tenon@example.com ${await readFile(`${signingKeyFile}.pub`, "utf8")}`);
    const verify = ["-c", `gpg.ssh.allowedSignersFile=${allowed}`, "log", "-1", "--format=%G?", branch];
    expect(world.remote.git(...verify)).toBe("G");
  });

  test.for([
    { reason: "it has a passphrase", written: (key: string) => key },
    { reason: "it is not an ssh key", written: () => "nonsense\n" },
  ])("says what is wrong with a key that cannot sign: $reason", async ({ written }) => {
    await using keys = await mkdtempDisposable(join(tmpdir(), "tenon-keys-"));
    const signingKeyFile = join(keys.path, "key");
    makeKey(signingKeyFile, "a-passphrase");
    await writeFile(signingKeyFile, written(await readFile(signingKeyFile, "utf8")));
    // As in a Secret, there is only the private half.
    await rm(`${signingKeyFile}.pub`, { force: true });
    await using world = await prepare({ signingKeyFile });
    const refused = world.commit("image: b\n");
    await expect(refused).rejects.toThrow(InputError);
    await expect(refused).rejects.toThrow(/^commits cannot be signed: the key .*; give .* without/);
  });
});

describe("pushBranch", () => {
  test("creates, replaces and deletes a branch while it is at the expected commit", async () => {
    await using world = await prepare();
    const { directory } = world.base;
    const [first, second] = [await world.commit("image: b\n"), await world.commit("image: c\n")];
    expect(await readRemoteHead(directory, world.to, signal)).toBeUndefined();
    expect(await pushBranch(directory, world.to, first, undefined, signal)).toBe("pushed");
    expect(await readRemoteHead(directory, world.to, signal)).toBe(first);
    expect(await pushBranch(directory, world.to, second, first, signal)).toBe("pushed");
    expect(await readRemoteHead(directory, world.to, signal)).toBe(second);
    expect(await pushBranch(directory, world.to, undefined, second, signal)).toBe("pushed");
    expect(await readRemoteHead(directory, world.to, signal)).toBeUndefined();
  });

  test("changes nothing when the branch has moved, appeared or gone", async () => {
    await using world = await prepare();
    const { directory } = world.base;
    const [ours, theirs] = [await world.commit("image: b\n"), await world.commit("image: c\n")];
    expect(await pushBranch(directory, world.to, ours, theirs, signal)).toBe("moved");
    await pushBranch(directory, world.to, theirs, undefined, signal);
    expect(await pushBranch(directory, world.to, ours, undefined, signal)).toBe("moved");
    expect(await pushBranch(directory, world.to, undefined, ours, signal)).toBe("moved");
    expect(await readRemoteHead(directory, world.to, signal)).toBe(theirs);
  });

  test("names the branch when a hook of the server refuses it", async () => {
    await using world = await prepare();
    const hook = join(world.remote.path, ".git/hooks/pre-receive");
    await writeFile(hook, "#!/bin/sh\necho protected branch >&2\nexit 1\n");
    await chmod(hook, 0o755);
    const push = pushBranch(world.base.directory, world.to, await world.commit("image: b\n"), undefined, signal);
    await expect(push).rejects.toThrow(InputError);
    await expect(push).rejects.toThrow(`the server does not allow Tenon to push to branch ${branch}`);
    expect(await readRemoteHead(world.base.directory, world.to, signal)).toBeUndefined();
  });
});

describe("credentials of git", () => {
  const credentials: GitCredentials = { kind: "token", username: "tenon", token: new Secret("t0ken-of-the-test") };
  const authorization = `Basic ${Buffer.from("tenon:t0ken-of-the-test").toString("base64")}`;

  async function serve(remote: SampleRepository) {
    remote.git("config", "receive.denyCurrentBranch", "ignore");
    return startGitServer(remote.path, { authorization });
  }

  test("a token lets git fetch and push over http, and reaches no message", async () => {
    await using world = await prepare();
    await using server = await serve(world.remote);
    const to = { repository: `${server.url}/.git`, branch, credentials };
    await using base = await fetchRef({ ...to, ref: "main" }, world.cache, signal);
    expect(base.commit.hash).toBe(world.base.commit.hash);
    const commit = await world.commit("image: b\n");
    expect(await pushBranch(world.base.directory, to, commit, undefined, signal)).toBe("pushed");
    expect(await readRemoteHead(world.base.directory, to, signal)).toBe(commit);
    const wrong = { ...to, credentials: { ...credentials, token: new Secret("wr0ng-token") } };
    const failure = await readRemoteHead(world.base.directory, wrong, signal).catch(String);
    expect(failure).toContain("authentication failed");
    expect(failure).not.toContain("wr0ng-token");
  });

  test("a server that redirects does not get the token sent on", async () => {
    await using world = await prepare();
    await using other = await startGitServer(world.remote.path);
    await using server = await startGitServer(world.remote.path, { redirectTo: other.url });
    const to = { repository: `${server.url}/.git`, branch, credentials };
    await expect(readRemoteHead(world.base.directory, to, signal)).rejects.toThrow("git ls-remote failed");
    expect(other.authorizations).toEqual([]);
  });

  test("a token is not sent over plain http to another machine", async () => {
    await using world = await prepare();
    const to = { repository: "http://git.example/team/app.git", branch, credentials };
    await expect(readRemoteHead(world.base.directory, to, signal)).rejects.toThrow(
      "a token is sent only to an https address, or over http on this machine",
    );
  });
});
