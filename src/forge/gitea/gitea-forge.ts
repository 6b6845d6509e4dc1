import { z } from "zod";
import { InputError } from "#base";
import {
  commentMarker,
  type CommitState,
  type CommitStatus,
  type Forge,
  type ForgeRepository,
  type MergeMethod,
  type MergeRequestOutcome,
  type NewPullRequest,
  type OpenPullRequest,
  type PullRequest,
  type PullRequestBranches,
} from "../forge.ts";
import { ForgeError, readAnswer } from "../forge-error.ts";
import type { ForgeHttp, ForgeRequest } from "../forge-http.ts";
import { CommitStatuses, isSameStatus, latestStatus } from "../sent-status.ts";

const Label = z.object({ id: z.int(), name: z.string() });
const Pull = z.object({
  number: z.int(),
  html_url: z.string(),
  state: z.string(),
  merged: z.boolean(),
  title: z.string(),
  body: z.string().nullish(),
  labels: z.array(Label).nullish(),
  mergeable: z.boolean().nullish(),
  merge_commit_sha: z.string().nullish(),
  merged_at: z.string().nullish(),
  /** `label` is the branch also when it is deleted; `ref` is then one of Gitea's own. */
  head: z.object({ label: z.string(), sha: z.string(), repo_id: z.int() }),
  base: z.object({ ref: z.string(), repo_id: z.int() }),
});
const Comments = z.array(z.object({ id: z.int(), body: z.string() }));

const pageSize = 50;
/** Older pull requests than these, and more labels, are not looked for. */
const mostPages = 20;

const states: Readonly<Record<CommitState, string>> = {
  pending: "pending",
  running: "pending",
  success: "success",
  warning: "warning",
  failure: "failure",
  error: "error",
  canceled: "error",
  skipped: "warning",
};

/** Gitea and Forgejo, by the API v1 that both have. */
export function giteaForge(http: ForgeHttp, { server, name }: ForgeRepository): Forge {
  const where = `${server}/${name}`;
  const repository = `/repos/${name.split("/").map(encodeURIComponent).join("/")}`;
  const pulls = { where, right: "read and write pull requests (write:repository)" };
  const issues = { where, right: "write comments and labels (write:issue)" };

  async function call(request: ForgeRequest, signal: AbortSignal): Promise<unknown> {
    return (await http.call(request, signal)).body;
  }

  async function* list<Shape extends z.ZodType>(
    shape: Shape,
    request: Omit<ForgeRequest, "method">,
    signal: AbortSignal,
  ): AsyncGenerator<z.infer<Shape>> {
    for (let page = 1; page <= mostPages; page += 1) {
      const query = { ...request.query, page, limit: pageSize };
      const shown = readAnswer(z.array(shape), await call({ ...request, method: "GET", query }, signal), request);
      yield* shown;
      if (shown.length < pageSize) return;
    }
  }

  function listPulls(query: Readonly<Record<string, string>>, what: string, signal: AbortSignal) {
    return list(Pull, { ...pulls, what, path: `${repository}/pulls`, query }, signal);
  }

  /** The ids of labels; those that the repository does not have are made. */
  async function ensureLabels(names: readonly string[], what: string, signal: AbortSignal): Promise<number[]> {
    if (names.length === 0) return [];
    const request = { ...issues, what, path: `${repository}/labels` };
    const found = new Map<string, number>();
    for await (const { name: label, id } of list(Label, request, signal)) {
      if (names.includes(label)) found.set(label, id);
      if (found.size === names.length) break;
    }
    for (const label of names.filter((each) => !found.has(each))) {
      const create = { ...request, method: "POST", body: { name: label, color: "#ededed" } } as const;
      found.set(label, readAnswer(Label, await call(create, signal), create).id);
    }
    return [...found.values()];
  }

  async function findPullRequest({ head, base }: PullRequestBranches, signal: AbortSignal) {
    const query = { state: "all", sort: "recentupdate", base_branch: base };
    const candidates: PullRequest[] = [];
    for await (const pull of listPulls(query, `find the pull request of branch ${head}`, signal)) {
      const isOurs = pull.head.label === head && pull.base.ref === base && pull.head.repo_id === pull.base.repo_id;
      if (isOurs) candidates.push(toPullRequest(pull));
      if (isOurs && pull.state === "open") break;
    }
    return candidates.find(({ state }) => state === "open") ?? candidates.toSorted((a, b) => b.number - a.number)[0];
  }

  async function readPull(number: number, what: string, signal: AbortSignal): Promise<z.infer<typeof Pull>> {
    const read = { ...pulls, what, method: "GET", path: `${repository}/pulls/${number}` } as const;
    return readAnswer(Pull, await call(read, signal), read);
  }

  async function change(number: number, body: unknown, what: string, signal: AbortSignal): Promise<void> {
    await call({ ...pulls, what, method: "PATCH", path: `${repository}/pulls/${number}`, body }, signal);
  }

  async function hasCommit(commit: string, signal: AbortSignal): Promise<boolean> {
    const query = { stat: "false", verification: "false", files: "false" };
    const path = `${repository}/git/commits/${commit}`;
    const read = { ...pulls, what: `find commit ${commit}`, method: "GET", path, query, accepts: [404, 422] } as const;
    return (await http.call(read, signal)).status < 300;
  }

  return {
    kind: "gitea",
    findPullRequest,

    readPullRequest: async (number, signal) =>
      toPullRequest(await readPull(number, `read pull request ${number}`, signal)),

    async openPullRequest(branches, { title, body, labels: names = [] }: NewPullRequest, signal) {
      const { head, base } = branches;
      const what = `open a pull request of branch ${head} into branch ${base}`;
      const labels = await ensureLabels(names, what, signal).catch(noneIfForbidden);
      const request = { ...pulls, what, method: "POST", path: `${repository}/pulls` } as const;
      const answer = await http.call({ ...request, body: { title, body, head, base, labels }, accepts: [409] }, signal);
      if (answer.status !== 409) return toPullRequest(readAnswer(Pull, answer.body, request));
      const existing = await findPullRequest(branches, signal);
      if (existing?.state === "open") return existing;
      throw new ForgeError(`${where}: cannot open a pull request: the forge answers 409 and shows none`);
    },

    updatePullRequest: (number, { title, body }, signal) =>
      change(number, { title, body }, `change pull request ${number}`, signal),

    closePullRequest: (number, signal) => change(number, { state: "closed" }, `close pull request ${number}`, signal),

    async addLabels(number, labels, signal) {
      const what = `label pull request ${number}`;
      const body = { labels: await ensureLabels(labels, what, signal) };
      await call({ ...issues, what, method: "POST", path: `${repository}/issues/${number}/labels`, body }, signal);
    },

    async keepComment(number, marker, text, signal) {
      const what = `comment on pull request ${number}`;
      const path = `${repository}/issues/${number}/comments`;
      const body = { body: `${commentMarker(marker)}\n${text}` };
      const read = { ...issues, what, method: "GET", path } as const;
      const comments = readAnswer(Comments, await call(read, signal), read);
      const existing = comments.find((comment) => comment.body.startsWith(commentMarker(marker)));
      if (existing?.body === body.body) return;
      const edit = { method: "PATCH", path: `${repository}/issues/comments/${existing?.id}` } as const;
      await call({ ...issues, what, body, ...(existing ? edit : { method: "POST", path }) }, signal);
    },

    async requestMerge({ number, head }, method: MergeMethod, signal): Promise<MergeRequestOutcome> {
      const what = `merge pull request ${number}`;
      // Gitea compares the commit only when it merges at once, and not when it waits for checks.
      const current = (await readPull(number, what, signal)).head.sha;
      if (current !== head) return { kind: "refused", reason: `its head is ${current}, and not ${head}` };
      const body = { Do: method, merge_when_checks_succeed: true, head_commit_id: head };
      const path = `${repository}/pulls/${number}/merge`;
      const request = { ...pulls, what, method: "POST", path, body, accepts: [405, 409, 422] } as const;
      const { status, text } = await http.call(request, signal);
      if (status < 300) return { kind: "requested" };
      if (/scheduled/i.test(text)) return { kind: "requested" };
      // Gitea says so of a conflict, too.
      if (/try again later/i.test(text)) return { kind: "checking" };
      return { kind: "refused", reason: `the forge answers ${status} ${text.slice(0, 200)}`.trim() };
    },

    async setCommitStatus(commit, { context, state, description, url }: CommitStatus, signal) {
      const body = { context, state: states[state], description, ...(url === undefined ? {} : { target_url: url }) };
      const request = { ...pulls, what: `report on commit ${commit}`, path: `${repository}/statuses/${commit}` };
      const read = { ...request, method: "GET", query: { sort: "recentupdate", limit: pageSize } } as const;
      const latest = latestStatus(readAnswer(CommitStatuses, await call(read, signal), request), context);
      if (latest && isSameStatus(latest, { ...body, url })) return;
      try {
        await call({ ...request, method: "POST", body }, signal);
      } catch (error) {
        // Gitea answers 500 for a commit that it does not have, as for any failure of its own.
        const isUnclear = error instanceof ForgeError && error.status === 500;
        if (isUnclear && !(await hasCommit(commit, signal))) throw unknownCommit(where, commit);
        throw error;
      }
    },

    async listOpen(signal) {
      const open: OpenPullRequest[] = [];
      for await (const pull of listPulls({ state: "open" }, "list pull requests", signal)) {
        const branches = { head: pull.head.label, base: pull.base.ref };
        open.push({ number: pull.number, url: pull.html_url, title: pull.title, body: pull.body ?? "", branches });
      }
      return open;
    },

    // With a token as the password, Gitea and Forgejo do not look at the name.
    gitLogin: () => Promise.resolve({ username: "tenon", token: http.token }),
  };
}

function noneIfForbidden(error: unknown): number[] {
  if (error instanceof InputError) return [];
  throw error;
}

function unknownCommit(where: string, commit: string): InputError {
  const next =
    "check the commit and the repository of the build; a commit is gone when its branch is replaced or deleted";
  return new InputError(`cannot report on commit ${commit}: the repository does not have it`, { where, next });
}

function toPullRequest(pull: z.infer<typeof Pull>): PullRequest {
  const isOpen = pull.state === "open";
  return {
    number: pull.number,
    url: pull.html_url,
    state: pull.merged ? "merged" : isOpen ? "open" : "closed",
    title: pull.title,
    body: pull.body ?? "",
    labels: pull.labels?.map((label) => label.name) ?? [],
    head: pull.head.sha,
    ...(pull.merged && pull.merge_commit_sha ? { mergeCommit: pull.merge_commit_sha } : {}),
    ...(pull.merged && pull.merged_at ? { mergedAt: pull.merged_at } : {}),
    mergeability:
      !isOpen || typeof pull.mergeable !== "boolean" ? "unknown" : pull.mergeable ? "mergeable" : "conflicting",
  };
}
