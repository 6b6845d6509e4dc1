import { generateKeyPairSync } from "node:crypto";
import { describe, expect, test } from "vitest";
import { FakeClock } from "../base/fake-clock.fixture.ts";
import { InputError, Secret } from "#base";
import { ForgeError } from "./forge-error.ts";
import { startSampleGithub } from "./github/sample-github.fixture.ts";
import type { CommitState } from "./forge.ts";
import type { SampleForge } from "./sample-forge.fixture.ts";
import { startSampleGitlab } from "./gitlab/sample-gitlab.fixture.ts";
import { openForge } from "./open-forge.ts";

const { signal } = new AbortController();
const token = new Secret("t0ken-of-a-forge");
const branches = { head: "promotion/main/shop", base: "main" };
const text = { title: "Promote shop", body: "a table" };

const kinds = [
  { kind: "github", start: startSampleGithub },
  { kind: "gitlab", start: startSampleGitlab },
] as const;

/** More than a page of them. */
function othersComments(from: number): { readonly id: number; body: string }[] {
  return Array.from({ length: 150 }, (_, at) => ({ id: from + at, body: "looks good" }));
}

async function open({ kind, start }: (typeof kinds)[number]) {
  const server = await start();
  const repository = `${server.url}/acme/gitops.git`;
  const credentials = { kind: "token", token } as const;
  const opened = await openForge({ kind, repository, credentials, clock: new FakeClock() });
  const dispose = async () => {
    await opened[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  };
  return { forge: opened.forge, state: server.state, [Symbol.asyncDispose]: dispose };
}

describe.each(kinds)("a forge of kind $kind", (given) => {
  test("opens one pull request for a branch, also when asked twice", async () => {
    await using world = await open(given);
    expect(await world.forge.findPullRequest(branches, signal)).toBeUndefined();
    const opened = await world.forge.openPullRequest(branches, text, signal);
    expect(opened).toMatchObject({ number: 1, state: "open", ...text, head: "c".repeat(40) });
    expect(await world.forge.openPullRequest(branches, text, signal)).toMatchObject({ number: 1, state: "open" });
    expect(world.state.pulls).toHaveLength(1);
    expect(await world.forge.findPullRequest(branches, signal)).toMatchObject({ number: 1, mergeability: "mergeable" });
  });

  test("finds the newest pull request of the branch, and the open one first", async () => {
    await using world = await open(given);
    await world.forge.openPullRequest(branches, text, signal);
    await world.forge.closePullRequest(1, signal);
    expect(await world.forge.findPullRequest(branches, signal)).toMatchObject({ number: 1, state: "closed" });
    expect(await world.forge.readPullRequest(1, signal)).toMatchObject({ number: 1, state: "closed" });
    await expect(world.forge.readPullRequest(9, signal)).rejects.toThrow("404");
    await world.forge.openPullRequest(branches, text, signal);
    await world.forge.openPullRequest({ ...branches, head: "other" }, text, signal);
    expect(await world.forge.findPullRequest(branches, signal)).toMatchObject({ number: 2, state: "open" });
    for (const pull of world.state.pulls) pull.state = "merged";
    expect(await world.forge.findPullRequest(branches, signal)).toMatchObject({
      number: 2,
      state: "merged",
      mergeCommit: "d".repeat(40),
      mergedAt: "2026-01-01T00:00:00Z",
    });
  });

  test("opens a pull request with its labels, or leaves them to addLabels", async () => {
    await using world = await open(given);
    const opened = await world.forge.openPullRequest(branches, { ...text, labels: ["a", "b"] }, signal);
    expect(opened.labels).toEqual(given.kind === "github" ? [] : ["a", "b"]);
    await world.forge.addLabels(1, ["b", "c"], signal);
    const labels = given.kind === "github" ? ["b", "c"] : ["a", "b", "c"];
    expect(await world.forge.findPullRequest(branches, signal)).toMatchObject({ labels });
  });

  test("changes title and text, labels, and keeps one comment of a kind", async () => {
    await using world = await open(given);
    await world.forge.openPullRequest(branches, text, signal);
    await world.forge.updatePullRequest(1, { title: "new", body: "newer" }, signal);
    await world.forge.addLabels(1, ["promotion/manual"], signal);
    await world.forge.keepComment(1, "tenon/manual", "first", signal);
    await world.forge.keepComment(1, "tenon/manual", "second", signal);
    const before = world.state.requests.length;
    await world.forge.keepComment(1, "tenon/manual", "second", signal);
    expect(world.state.requests.slice(before).map(({ method }) => method)).toEqual(["GET"]);
    await world.forge.keepComment(1, "tenon/other", "third", signal);
    expect(world.state.pulls[0]).toMatchObject({ title: "new", body: "newer", labels: new Set(["promotion/manual"]) });
    expect(world.state.pulls[0]?.comments.map(({ body }) => body)).toEqual([
      "<!-- tenon/manual -->\nsecond",
      "<!-- tenon/other -->\nthird",
    ]);
  });

  test("finds its comment again below more than a hundred others, and lists more pull requests than a page holds", async () => {
    await using world = await open(given);
    await world.forge.openPullRequest(branches, text, signal);
    const comments = world.state.pulls[0]?.comments;
    comments?.push(...othersComments(1_000));
    await world.forge.keepComment(1, "tenon/manual", "first", signal);
    comments?.push(...othersComments(2_000));
    await world.forge.keepComment(1, "tenon/manual", "second", signal);
    expect(comments?.filter(({ body }) => body.startsWith("<!--")).map(({ body }) => body)).toEqual([
      "<!-- tenon/manual -->\nsecond",
    ]);
    for (let number = 2; number <= 120; number += 1) {
      world.state.open({ head: `feature-${number}`, base: "main", title: "a", body: "b" });
    }
    expect(await world.forge.listOpen(signal)).toHaveLength(120);
  });

  test("asks the forge to merge that commit when its rules allow it, and says why it does not", async () => {
    await using world = await open(given);
    const pull = await world.forge.openPullRequest(branches, text, signal);
    expect(await world.forge.requestMerge(pull, "squash", signal)).toEqual({ kind: "requested" });
    expect(JSON.stringify(world.state.pulls[0]?.mergeAsked)).toContain(pull.head);
    for (const one of world.state.pulls) one.isConflicting = true;
    expect(await world.forge.findPullRequest(branches, signal)).toMatchObject({ mergeability: "conflicting" });
    expect(await world.forge.requestMerge(pull, "squash", signal)).toMatchObject({ kind: "refused" });
  });

  test("reports on a commit, and lists the open pull requests of everyone", async () => {
    await using world = await open(given);
    const status = { context: "tenon / shop", state: "failure", description: "1 of 2 failed" } as const;
    await world.forge.setCommitStatus("abc", { ...status, url: "https://console.example/1" }, signal);
    expect(world.state.statuses).toMatchObject([{ commit: "abc", target_url: "https://console.example/1" }]);
    await world.forge.openPullRequest(branches, text, signal);
    await world.forge.openPullRequest({ ...branches, head: "feature" }, text, signal);
    await world.forge.openPullRequest({ ...branches, head: "closed" }, text, signal);
    await world.forge.closePullRequest(3, signal);
    const listed = await world.forge.listOpen(signal);
    expect(listed.toSorted((a, b) => a.number - b.number)).toEqual([
      { number: 1, url: expect.stringContaining("/1"), ...text, branches },
      { number: 2, url: expect.stringContaining("/2"), ...text, branches: { ...branches, head: "feature" } },
    ]);
  });

  test("gives git the same token under the name that the forge expects", async () => {
    await using world = await open(given);
    const login = await world.forge.gitLogin(signal);
    expect(login.username).toBe(given.kind === "github" ? "x-access-token" : "oauth2");
    expect(login.token.equals(token)).toBe(true);
  });

  test("waits as long as the forge asks, and tells a revoked token from a missing right (P53)", async () => {
    await using world = await open(given);
    const body = { message: "slow down, t0ken-of-a-forge" };
    world.state.refusals.push({ status: 429, headers: { "retry-after": "7" }, body });
    const busy = await world.forge.findPullRequest(branches, signal).catch((error: unknown) => error);
    expect(busy).toBeInstanceOf(ForgeError);
    expect(busy).toMatchObject({ retryAfterMs: 7_000, message: expect.not.stringContaining("t0ken-of-a-forge") });
    const secondary = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.";
    world.state.refusals.push({ status: 403, body: { message: secondary } });
    const limited = await world.forge.findPullRequest(branches, signal).catch((error: unknown) => error);
    expect(limited).toBeInstanceOf(ForgeError);
    expect(limited).toMatchObject({ retryAfterMs: 60_000 });
    world.state.refusals.push({ status: 401, body: {} });
    const revoked = await world.forge.findPullRequest(branches, signal).catch((error: unknown) => error);
    expect(revoked).toBeInstanceOf(InputError);
    expect(String(revoked)).toContain("the token is not valid any more");
    world.state.refusals.push({ status: 403, body: { message: "Resource not accessible" } });
    await expect(world.forge.findPullRequest(branches, signal)).rejects.toThrow("give the token the right to");
    world.state.refusals.push({ status: 500, body: {} });
    await expect(world.forge.findPullRequest(branches, signal)).rejects.toThrow(ForgeError);
  });

  test("does not follow a redirect, says where it leads, and no token leaves for another host", async () => {
    await using world = await open(given);
    await using other = await given.start();
    const redirect = { status: 307, headers: { location: `${other.url}/moved` }, body: {} };
    world.state.refusals.push(redirect, redirect);
    const found = world.forge.findPullRequest(branches, signal);
    await expect(found).rejects.toThrow(`the forge redirects to ${other.url}/moved`);
    await expect(world.forge.openPullRequest(branches, text, signal)).rejects.toThrow(InputError);
    expect(other.state.requests).toEqual([]);
    expect(world.state.pulls).toEqual([]);
  });

  test("sends the token to an https address only, or within this machine", async () => {
    const credentials = { kind: "token", token } as const;
    const options = { kind: given.kind, credentials, clock: new FakeClock() };
    const opened = openForge({ ...options, repository: "http://forge.example/acme/gitops.git" });
    await expect(opened).rejects.toThrow("a token is sent only to an https address");
    await expect(openForge({ ...options, repository: "git@forge.example:acme/gitops" })).rejects.toThrow(
      "expected the https address of a repository",
    );
  });
});

async function openApp(server: SampleForge, clock = new FakeClock(Date.parse("2026-01-01T00:00:00Z"))) {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  const credentials = { kind: "app", appId: "42", installationId: 7, privateKey: new Secret(pem) } as const;
  return openForge({ kind: "github", repository: `${server.url}/acme/gitops`, credentials, clock });
}

test("an App of GitHub reports by check runs: one that runs is changed, one that is completed stays, the same is not sent again", async () => {
  await using server = await startSampleGithub();
  await using opened = await openApp(server);
  const report = (state: CommitState, description: string) =>
    opened.forge.setCommitStatus("abc", { context: "tenon / shop", state, description }, signal);
  await report("pending", "waits");
  await report("running", "runs");
  await report("failure", "1 of 2 failed");
  await report("failure", "1 of 2 failed");
  expect(server.state.checkRuns).toMatchObject([{ name: "tenon / shop", head_sha: "abc", conclusion: "failure" }]);
  await report("success", "passed again");
  expect(server.state.checkRuns.map(({ status, conclusion, output }) => ({ status, conclusion, output }))).toEqual([
    { status: "completed", conclusion: "failure", output: { title: "Failed", summary: "1 of 2 failed" } },
    { status: "completed", conclusion: "success", output: { title: "Succeeded", summary: "passed again" } },
  ]);
  expect(server.state.statuses).toEqual([]);
});

test("an App of GitHub calls with a token of its installation, and asks for a new one only when that ends", async () => {
  await using server = await startSampleGithub();
  const clock = new FakeClock(Date.parse("2026-01-01T00:00:00Z"));
  await using opened = await openApp(server, clock);
  await opened.forge.findPullRequest(branches, signal);
  await opened.forge.findPullRequest(branches, signal);
  const asked = () => server.state.requests.filter(({ path }) => path.endsWith("/access_tokens"));
  expect(asked()).toHaveLength(1);
  expect(asked()[0]?.authorization).toMatch(/^Bearer ey/);
  expect(server.state.requests.at(-1)?.authorization).toBe("Bearer installation-token-1");
  await clock.advance(59.5 * 60_000);
  await opened.forge.findPullRequest(branches, signal);
  expect(asked()).toHaveLength(2);
});

test("GitLab is asked again to merge while it still checks whether it can", async () => {
  await using world = await open({ kind: "gitlab", start: startSampleGitlab });
  const pull = await world.forge.openPullRequest(branches, text, signal);
  for (const one of world.state.pulls) one.isBeingChecked = true;
  expect(await world.forge.requestMerge(pull, "squash", signal)).toEqual({ kind: "checking" });
});

test("GitLab's 401 to a merge is a right that is missing, unless the token is not valid", async () => {
  await using world = await open({ kind: "gitlab", start: startSampleGitlab });
  const pull = await world.forge.openPullRequest(branches, text, signal);
  const unauthorized = { status: 401, body: { message: "401 Unauthorized" } };
  world.state.refusals.push(unauthorized);
  expect(await world.forge.requestMerge(pull, "merge", signal)).toEqual({
    kind: "refused",
    reason: "the token's user may not merge into the target branch",
  });
  world.state.refusals.push(unauthorized, unauthorized);
  await expect(world.forge.requestMerge(pull, "merge", signal)).rejects.toThrow("the token is not valid any more");
});
