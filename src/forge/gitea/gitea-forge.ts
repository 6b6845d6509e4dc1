import { z } from "zod";
import {
  commentMarker,
  type CommitState,
  type CommitStatus,
  type Forge,
  type ForgeRepository,
  type MergeMethod,
  type MergeRequestOutcome,
  type OpenPullRequest,
  type PullRequest,
  type PullRequestBranches,
  type PullRequestText,
} from "../forge.ts";
import { ForgeError, readAnswer } from "../forge-error.ts";
import type { ForgeHttp, ForgeRequest } from "../forge-http.ts";
import { CommitStatuses, isSameStatus, latestStatus } from "../sent-status.ts";

const Pull = z.object({
  number: z.int(),
  html_url: z.string(),
  state: z.string(),
  merged: z.boolean(),
  title: z.string(),
  body: z.string().nullish(),
  mergeable: z.boolean().nullish(),
  merge_commit_sha: z.string().nullish(),
  merged_at: z.string().nullish(),
  head: z.object({ ref: z.string(), sha: z.string(), repo_id: z.int() }),
  base: z.object({ ref: z.string(), repo_id: z.int() }),
});
const Labels = z.array(z.object({ id: z.int(), name: z.string() }));
const Comments = z.array(z.object({ id: z.int(), body: z.string() }));

const pageSize = 50;
/** Older pull requests than these are not looked for. */
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

  async function* list(query: Readonly<Record<string, string>>, what: string, signal: AbortSignal) {
    for (let page = 1; page <= mostPages; page += 1) {
      const request = { ...pulls, what, method: "GET", path: `${repository}/pulls` } as const;
      const found = await call({ ...request, query: { ...query, page, limit: pageSize } }, signal);
      const shown = readAnswer(z.array(Pull), found, request);
      yield* shown;
      if (shown.length < pageSize) return;
    }
  }

  async function findPullRequest({ head, base }: PullRequestBranches, signal: AbortSignal) {
    const query = { state: "all", sort: "recentupdate", base_branch: base };
    const candidates: PullRequest[] = [];
    for await (const pull of list(query, `find the pull request of branch ${head}`, signal)) {
      const isOurs = pull.head.ref === head && pull.base.ref === base && pull.head.repo_id === pull.base.repo_id;
      if (isOurs) candidates.push(toPullRequest(pull));
      if (isOurs && pull.state === "open") break;
    }
    return candidates.find(({ state }) => state === "open") ?? candidates.toSorted((a, b) => b.number - a.number)[0];
  }

  async function change(number: number, body: unknown, what: string, signal: AbortSignal): Promise<void> {
    await call({ ...pulls, what, method: "PATCH", path: `${repository}/pulls/${number}`, body }, signal);
  }

  return {
    kind: "gitea",
    findPullRequest,

    async openPullRequest(branches, { title, body }: PullRequestText, signal) {
      const { head, base } = branches;
      const what = `open a pull request of branch ${head} into branch ${base}`;
      const request = { ...pulls, what, method: "POST", path: `${repository}/pulls` } as const;
      const answer = await http.call({ ...request, body: { title, body, head, base }, accepts: [409] }, signal);
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
      const all = { ...issues, what, method: "GET", path: `${repository}/labels`, query: { limit: pageSize } } as const;
      const known = readAnswer(Labels, await call(all, signal), all);
      const ids: number[] = [];
      for (const label of labels) {
        const found = known.find((one) => one.name === label);
        const body = { name: label, color: "#ededed" };
        const create = { ...issues, what, method: "POST", path: `${repository}/labels`, body } as const;
        ids.push(found?.id ?? readAnswer(z.object({ id: z.int() }), await call(create, signal), create).id);
      }
      const body = { labels: ids };
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
      const read = { ...pulls, what, method: "GET", path: `${repository}/pulls/${number}` } as const;
      const current = readAnswer(Pull, await call(read, signal), read).head.sha;
      if (current !== head) return { kind: "refused", reason: `its head is ${current}, and not ${head}` };
      const body = { Do: method, merge_when_checks_succeed: true, head_commit_id: head };
      const path = `${repository}/pulls/${number}/merge`;
      const request = { ...pulls, what, method: "POST", path, body, accepts: [405, 409, 422] } as const;
      const { status, text } = await http.call(request, signal);
      if (status < 300) return { kind: "requested" };
      if (/scheduled/i.test(text)) return { kind: "requested" };
      return { kind: "refused", reason: `the forge answers ${status} ${text.slice(0, 200)}`.trim() };
    },

    async setCommitStatus(commit, { context, state, description, url }: CommitStatus, signal) {
      const body = { context, state: states[state], description, ...(url === undefined ? {} : { target_url: url }) };
      const request = { ...pulls, what: `report on commit ${commit}`, path: `${repository}/statuses/${commit}` };
      const read = { ...request, method: "GET", query: { sort: "recentupdate", limit: pageSize } } as const;
      const latest = latestStatus(readAnswer(CommitStatuses, await call(read, signal), request), context);
      if (latest && isSameStatus(latest, { ...body, url })) return;
      await call({ ...request, method: "POST", body }, signal);
    },

    async listOpen(signal) {
      const open: OpenPullRequest[] = [];
      for await (const pull of list({ state: "open" }, "list pull requests", signal)) {
        const branches = { head: pull.head.ref, base: pull.base.ref };
        open.push({ number: pull.number, url: pull.html_url, title: pull.title, body: pull.body ?? "", branches });
      }
      return open;
    },

    // With a token as the password, Gitea and Forgejo do not look at the name.
    gitLogin: () => Promise.resolve({ username: "tenon", token: http.token }),
  };
}

function toPullRequest(pull: z.infer<typeof Pull>): PullRequest {
  const isOpen = pull.state === "open";
  return {
    number: pull.number,
    url: pull.html_url,
    state: pull.merged ? "merged" : isOpen ? "open" : "closed",
    title: pull.title,
    body: pull.body ?? "",
    head: pull.head.sha,
    ...(pull.merged && pull.merge_commit_sha ? { mergeCommit: pull.merge_commit_sha } : {}),
    ...(pull.merged && pull.merged_at ? { mergedAt: pull.merged_at } : {}),
    mergeability:
      !isOpen || typeof pull.mergeable !== "boolean" ? "unknown" : pull.mergeable ? "mergeable" : "conflicting",
  };
}
