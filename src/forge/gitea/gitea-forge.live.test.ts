import { describe, expect, test } from "vitest";
import { InputError, Secret, systemClock } from "#base";
import { type HttpProxy, startHttpProxy } from "#faults";
import { type GiteaRepository, useGitea } from "#gitea";
import type { CommitStatus } from "../forge.ts";
import { ForgeError } from "../forge-error.ts";
import { openForge } from "../open-forge.ts";

const { signal } = new AbortController();
const gitea = await useGitea();
const { certificateAuthority } = gitea.access;
const owner = await gitea.createUser();
const branches = { head: "promotion/main/shop", base: "main" };
const text = { title: "Promote shop", body: "| image | digest |\n\n<!-- tenon -->" };
const file = "deploy/app.yaml";

/** The adapter for a repository, directly or through a proxy. */
async function connect({ address }: GiteaRepository, proxy?: HttpProxy, token = owner.token) {
  const repository = proxy ? address.replace(gitea.access.url, proxy.url.origin) : address;
  const credentials = { kind: "token", token: new Secret(token) } as const;
  return openForge({ kind: "gitea", repository, credentials, certificateAuthority, clock: systemClock });
}

/** A repository whose branch of ours differs from its base. */
async function prepare(head = branches.head): Promise<GiteaRepository> {
  const repository = await gitea.createRepository({ [file]: "image: a\n" }, owner);
  await branchOff(repository, head);
  return repository;
}

async function branchOff(repository: GiteaRepository, head: string): Promise<string> {
  const branch = { new_branch_name: head, old_branch_name: "main" };
  await gitea.expect("POST", `${repository.path}/branches`, branch, repository.owner.token);
  return gitea.commit(repository, { [file]: `image: b of ${head}\n` }, head);
}

const read = (repository: GiteaRepository, path: string) => gitea.expect("GET", `${repository.path}${path}`);
const failureOf = (attempt: Promise<unknown>) => attempt.then(() => undefined).catch((error: unknown) => error);

describe("a pull request on a real Gitea", () => {
  test("is opened once for a branch, found, changed, closed, and opened again with a new number", async () => {
    const repository = await prepare();
    await using opened = await connect(repository);
    const { forge } = opened;
    expect(await forge.findPullRequest(branches, signal)).toBeUndefined();
    const first = await forge.openPullRequest(branches, text, signal);
    const { commit } = await read(repository, `/branches/${encodeURIComponent(branches.head)}`);
    expect(first).toMatchObject({ number: 1, state: "open", ...text, head: commit.id });
    expect(first.url).toBe(`${gitea.access.url}${repository.path.replace("/repos", "")}/pulls/1`);
    expect(await forge.openPullRequest(branches, text, signal)).toMatchObject({ number: 1, state: "open" });
    await expect.poll(async () => (await forge.findPullRequest(branches, signal))?.mergeability).toBe("mergeable");
    await forge.updatePullRequest(1, { title: "Promote shop again", body: "new" }, signal);
    expect(await forge.findPullRequest(branches, signal)).toMatchObject({ title: "Promote shop again", body: "new" });
    await forge.closePullRequest(1, signal);
    expect(await forge.findPullRequest(branches, signal)).toMatchObject({ number: 1, state: "closed" });
    expect(await forge.readPullRequest(1, signal)).toMatchObject({ number: 1, state: "closed" });
    expect(await forge.openPullRequest(branches, text, signal)).toMatchObject({ number: 2 });
    expect(await forge.findPullRequest(branches, signal)).toMatchObject({ number: 2, state: "open" });
    await forge.closePullRequest(2, signal);
    const branch = `${repository.path}/branches/${encodeURIComponent(branches.head)}`;
    await gitea.expect("DELETE", branch, undefined, owner.token);
    expect(await forge.findPullRequest(branches, signal)).toMatchObject({ number: 2, state: "closed" });
  });

  test("differs from those of other branches and of forks, and is listed with them", async () => {
    const repository = await prepare();
    await branchOff(repository, "feature");
    const stranger = await gitea.createUser();
    const fork = await gitea.expect("POST", `${repository.path}/forks`, {}, stranger.token);
    const head = `${stranger.name}:${branches.head}`;
    const foreign = { title: "foreign", body: "", base: "main", head };
    expect(fork.fork).toBe(true);
    await gitea.expect("POST", `${repository.path}/pulls`, foreign, stranger.token);
    await using opened = await connect(repository);
    expect(await opened.forge.findPullRequest(branches, signal)).toBeUndefined();
    await opened.forge.openPullRequest({ ...branches, head: "feature" }, text, signal);
    await opened.forge.openPullRequest(branches, text, signal);
    expect(await opened.forge.findPullRequest(branches, signal)).toMatchObject({ number: 3 });
    const listed = await opened.forge.listOpen(signal);
    expect(listed.map(({ number, branches: named }) => [number, named.head])).toEqual([
      [3, branches.head],
      [2, "feature"],
      [1, branches.head],
    ]);
  });

  test("keeps its labels and one comment of a kind", async () => {
    const repository = await prepare();
    await using opened = await connect(repository);
    const { forge } = opened;
    await forge.openPullRequest(branches, text, signal);
    await forge.addLabels(1, ["promotion/manual"], signal);
    await forge.addLabels(1, ["promotion/manual", "team/shop"], signal);
    const { labels } = await read(repository, "/issues/1");
    expect(labels.map(({ name }: { name: string }) => name)).toEqual(["promotion/manual", "team/shop"]);
    expect(await read(repository, "/labels")).toHaveLength(2);
    for (const said of ["first", "second", "second"]) await forge.keepComment(1, "tenon/manual", said, signal);
    await forge.keepComment(1, "tenon/other", "third", signal);
    const comments = await read(repository, "/issues/1/comments");
    expect(comments.map(({ body }: { body: string }) => body)).toEqual([
      "<!-- tenon/manual -->\nsecond",
      "<!-- tenon/other -->\nthird",
    ]);
  });

  test("gets a label that comes after more than fifty others, which is not made twice", async () => {
    const repository = await prepare();
    for (let number = 100; number < 155; number += 1) {
      const label = { name: `area/${number}`, color: "#ededed" };
      await gitea.expect("POST", `${repository.path}/labels`, label, repository.owner.token);
    }
    await using opened = await connect(repository);
    await opened.forge.openPullRequest(branches, text, signal);
    await opened.forge.addLabels(1, ["team/shop"], signal);
    await opened.forge.addLabels(1, ["team/shop", "area/101"], signal);
    const { labels } = await read(repository, "/issues/1");
    expect(labels.map(({ name }: { name: string }) => name)).toEqual(["area/101", "team/shop"]);
    expect(await read(repository, "/labels?page=2&limit=50")).toHaveLength(6);
  });

  test("is merged by Gitea when the required check has passed, and only with the commit that was asked for", async () => {
    const repository = await prepare();
    const rule = { rule_name: "main", enable_status_check: true, status_check_contexts: ["tests"] };
    await gitea.expect("POST", `${repository.path}/branch_protections`, rule, repository.owner.token);
    await using opened = await connect(repository);
    const { forge } = opened;
    const pull = await forge.openPullRequest(branches, text, signal);
    await expect.poll(async () => (await forge.findPullRequest(branches, signal))?.mergeability).toBe("mergeable");
    const other = { ...pull, head: "a".repeat(40) };
    expect(await forge.requestMerge(other, "squash", signal)).toMatchObject({ kind: "refused" });
    expect(await forge.requestMerge(pull, "squash", signal)).toEqual({ kind: "requested" });
    expect(await forge.requestMerge(pull, "squash", signal)).toEqual({ kind: "requested" });
    expect(await forge.findPullRequest(branches, signal)).toMatchObject({ state: "open" });
    const passed: CommitStatus = { context: "tests", state: "success", description: "2 of 2 passed" };
    await forge.setCommitStatus(pull.head, { ...passed, url: "https://console.example/1" }, signal);
    await expect.poll(async () => (await forge.findPullRequest(branches, signal))?.state).toBe("merged");
    const merged = await forge.findPullRequest(branches, signal);
    const { commit } = await read(repository, "/branches/main");
    expect(merged).toMatchObject({ mergeCommit: commit.id, mergedAt: expect.stringMatching(/^\d{4}-/) });
    const [status] = await read(repository, `/commits/${pull.head}/statuses`);
    expect(status).toMatchObject({ status: "success", context: "tests", target_url: "https://console.example/1" });
  });

  test("that conflicts with its base is reported as such, and not merged", async () => {
    const repository = await prepare();
    await gitea.commit(repository, { [file]: "image: of a person\n" });
    await using opened = await connect(repository);
    const pull = await opened.forge.openPullRequest(branches, text, signal);
    await expect
      .poll(async () => (await opened.forge.findPullRequest(branches, signal))?.mergeability)
      .toBe("conflicting");
    // Gitea does not tell a conflict from a check that has not ended.
    expect(await opened.forge.requestMerge(pull, "merge", signal)).toEqual({ kind: "checking" });
    expect(await opened.forge.findPullRequest(branches, signal)).toMatchObject({ state: "open" });
  });
});

describe("P53: what a real Gitea refuses", () => {
  test("a revoked token is named as such", async () => {
    const repository = await prepare();
    const { name } = repository.owner;
    const revoked = await gitea.createToken(name, ["all"]);
    await using opened = await connect(repository, undefined, revoked);
    await opened.forge.findPullRequest(branches, signal);
    await gitea.revokeToken(name, revoked);
    const failure = await failureOf(opened.forge.findPullRequest(branches, signal));
    expect(failure).toBeInstanceOf(InputError);
    expect(String(failure)).toContain("the token is not valid any more: give Tenon a new one");
    expect(String(failure)).not.toContain(revoked);
  });

  test("a right that the token lacks is named, and nothing is opened", async () => {
    const repository = await prepare();
    const weak = await gitea.createToken(repository.owner.name, ["read:repository", "read:issue"]);
    await using opened = await connect(repository, undefined, weak);
    expect(await opened.forge.findPullRequest(branches, signal)).toBeUndefined();
    const failure = await failureOf(opened.forge.openPullRequest(branches, text, signal));
    expect(failure).toBeInstanceOf(InputError);
    expect(String(failure)).toContain("give the token the right to read and write pull requests (write:repository)");
    expect(await read(repository, "/pulls?state=all")).toEqual([]);
  });

  test("a report on a commit that the repository does not have is the user's to correct", async () => {
    const repository = await prepare();
    await using opened = await connect(repository);
    const status: CommitStatus = { context: "tests", state: "success", description: "passed" };
    const failure = await failureOf(opened.forge.setCommitStatus("a".repeat(40), status, signal));
    expect(failure).toBeInstanceOf(InputError);
    expect(String(failure)).toContain(`cannot report on commit ${"a".repeat(40)}: the repository does not have it`);
  });

  test("a repository that the token may not see is another error than a base that vanished", async () => {
    const repository = await prepare();
    await gitea.expect("PATCH", repository.path, { private: true }, repository.owner.token);
    const stranger = await gitea.createUser();
    await using hidden = await connect(repository, undefined, stranger.token);
    const unseen = await failureOf(hidden.forge.findPullRequest(branches, signal));
    expect(unseen).toBeInstanceOf(InputError);
    expect(String(unseen)).toContain("check the repository's address");
    await using opened = await connect(repository);
    const gone = await failureOf(opened.forge.openPullRequest({ ...branches, base: "gone" }, text, signal));
    expect(gone).toBeInstanceOf(InputError);
    expect(String(gone)).toContain("gone");
  });
});

/** A repository behind a proxy that can fail. */
async function faulty() {
  const repository = await prepare();
  const upstream = { tls: { ca: certificateAuthority } };
  const proxy = await startHttpProxy({ target: new URL(gitea.access.url), upstream });
  const opened = await connect(repository, proxy);
  const dispose = async () => {
    await opened[Symbol.asyncDispose]();
    await proxy[Symbol.asyncDispose]();
  };
  return { repository, proxy, forge: opened.forge, [Symbol.asyncDispose]: dispose };
}
const isOpening = ({ method }: { method: string }) => method === "POST";

describe("a Gitea behind a faulty line", () => {
  test("a pull request is opened with its labels, which are made if the repository does not have them, in three requests at most", async () => {
    await using world = await faulty();
    const labelled = { ...text, labels: ["promotion", "team/shop"] };
    const first = await world.forge.openPullRequest(branches, { ...text, labels: ["promotion"] }, signal);
    expect([first.labels, world.proxy.count()]).toEqual([["promotion"], 3]);
    await world.forge.closePullRequest(1, signal);
    const second = await world.forge.openPullRequest(branches, labelled, signal);
    expect(second.labels).toEqual(["promotion", "team/shop"]);
    expect(await world.forge.findPullRequest(branches, signal)).toMatchObject({ number: 2, labels: second.labels });
    expect(await read(world.repository, "/labels")).toHaveLength(2);
  });

  test("P53: a 429 says how long to wait, and the next attempt opens exactly one pull request", async () => {
    await using world = await faulty();
    world.proxy.answer({ match: isOpening, times: 1, status: 429, headers: { "retry-after": "7" }, body: "slow down" });
    const busy = await failureOf(world.forge.openPullRequest(branches, text, signal));
    expect(busy).toMatchObject({ retryAfterMs: 7_000, status: 429 });
    expect(busy).toBeInstanceOf(ForgeError);
    await world.forge.openPullRequest(branches, text, signal);
    expect(await read(world.repository, "/pulls?state=all")).toHaveLength(1);
  });

  test("a pull request whose answer was lost is not opened twice", async () => {
    await using world = await faulty();
    await branchOff(world.repository, "promotion/main/web");
    const cuts = [
      { at: "headers", head: branches.head },
      { at: { bytes: 300 }, head: "promotion/main/web" },
    ] as const;
    for (const [index, { at, head }] of cuts.entries()) {
      world.proxy.cut({ match: isOpening, times: 1, at });
      const ours = { ...branches, head };
      await expect(world.forge.openPullRequest(ours, text, signal)).rejects.toThrow(ForgeError);
      expect(await world.forge.openPullRequest(ours, text, signal)).toMatchObject({ state: "open" });
      expect(await read(world.repository, "/pulls?state=all")).toHaveLength(index + 1);
    }
  });

  test("a comment whose answer was lost is not written twice", async () => {
    await using world = await faulty();
    await world.forge.openPullRequest(branches, text, signal);
    world.proxy.cut({ match: isOpening, times: 1 });
    await expect(world.forge.keepComment(1, "tenon/manual", "said", signal)).rejects.toThrow(ForgeError);
    await world.forge.keepComment(1, "tenon/manual", "said", signal);
    expect(await read(world.repository, "/issues/1/comments")).toHaveLength(1);
  });

  test("errors of the server and of what is in between may pass, and none carries the token", async () => {
    await using world = await faulty();
    const page = { status: 502, body: "<html>bad gateway</html>" };
    const faults = [
      { status: 500, body: "{}" },
      page,
      { status: 200, body: '{"number": 1' },
      { status: 200, body: "[]x" },
    ];
    for (const fault of faults) {
      using _rule = world.proxy.answer(fault);
      const failure = await failureOf(world.forge.findPullRequest(branches, signal));
      expect(failure).toBeInstanceOf(ForgeError);
      expect(String(failure)).not.toContain(world.repository.owner.token);
    }
    world.proxy.cut({ at: "request", times: 1 });
    await expect(world.forge.findPullRequest(branches, signal)).rejects.toThrow(ForgeError);
  });

  test("an answer of another shape is an error of the forge, and names the call", async () => {
    await using world = await faulty();
    world.proxy.answer({ status: 200, body: '[{"number": "one"}]' });
    const failure = await failureOf(world.forge.findPullRequest(branches, signal));
    expect(failure).toBeInstanceOf(ForgeError);
    expect(String(failure)).toContain("find the pull request of branch promotion/main/shop");
  });

  test("a redirect to another host is not followed, and that host hears nothing", async () => {
    await using world = await faulty();
    await using other = await startHttpProxy({ target: new URL(gitea.access.url) });
    world.proxy.answer({ status: 307, headers: { location: `${other.url.origin}/api/v1/moved` } });
    await expect(world.forge.openPullRequest(branches, text, signal)).rejects.toThrow(
      `the forge redirects to ${other.url.origin}/api/v1/moved`,
    );
    expect(other.requests).toEqual([]);
  });
});
