import { z } from "zod";
import {
  commentMarker,
  type CommitState,
  type Forge,
  type ForgeRepository,
  type MergeRequestOutcome,
  type OpenPullRequest,
  type PullRequest,
  type PullRequestBranches,
} from "../forge.ts";
import { ForgeError, readAnswer } from "../forge-error.ts";
import type { ForgeHttp, ForgeRequest } from "../forge-http.ts";

const Merge = z.object({
  iid: z.int(),
  web_url: z.string(),
  state: z.string(),
  title: z.string(),
  description: z.string().nullish(),
  labels: z.array(z.string()).nullish(),
  sha: z.string().nullish(),
  source_branch: z.string(),
  target_branch: z.string(),
  source_project_id: z.int().nullish(),
  target_project_id: z.int(),
  merge_commit_sha: z.string().nullish(),
  squash_commit_sha: z.string().nullish(),
  merged_at: z.string().nullish(),
  has_conflicts: z.boolean().nullish(),
  detailed_merge_status: z.string().nullish(),
});
const Notes = z.array(z.object({ id: z.int(), body: z.string() }));

const pageSize = 100;
const mostPages = 20;

const states: Readonly<Record<CommitState, string>> = {
  pending: "pending",
  running: "running",
  success: "success",
  warning: "success",
  failure: "failed",
  error: "failed",
  canceled: "canceled",
  skipped: "skipped",
};

/** GitLab, by its API v4. */
export function gitlabForge(http: ForgeHttp, { server, name }: ForgeRepository): Forge {
  const where = `${server}/${name}`;
  const project = `/projects/${encodeURIComponent(name)}`;
  const merges = { where, right: "read and write merge requests (scope api, role Developer)" };

  async function call(request: ForgeRequest, signal: AbortSignal): Promise<unknown> {
    return (await http.call(request, signal)).body;
  }

  async function findPullRequest({ head, base }: PullRequestBranches, signal: AbortSignal) {
    const query = {
      source_branch: head,
      target_branch: base,
      state: "all",
      order_by: "created_at",
      per_page: pageSize,
    };
    const what = `find the merge request of branch ${head}`;
    const found = await call({ ...merges, what, method: "GET", path: `${project}/merge_requests`, query }, signal);
    const own = readAnswer(z.array(Merge), found, { ...merges, what })
      .filter((merge) => merge.source_project_id === merge.target_project_id)
      .map(toPullRequest)
      .toSorted((a, b) => b.number - a.number);
    return own.find(({ state }) => state === "open") ?? own[0];
  }

  async function change(number: number, body: unknown, what: string, signal: AbortSignal): Promise<void> {
    await call({ ...merges, what, method: "PUT", path: `${project}/merge_requests/${number}`, body }, signal);
  }

  async function readMerge(number: number, what: string, signal: AbortSignal): Promise<z.infer<typeof Merge>> {
    const read = { ...merges, what, method: "GET", path: `${project}/merge_requests/${number}` } as const;
    return readAnswer(Merge, await call(read, signal), read);
  }

  async function findNote(path: string, marker: string, what: string, signal: AbortSignal) {
    for (let page = 1; page <= mostPages; page += 1) {
      const query = { sort: "asc", order_by: "created_at", per_page: pageSize, page };
      const read = { ...merges, what, method: "GET", path, query } as const;
      const notes = readAnswer(Notes, await call(read, signal), read);
      const found = notes.find((note) => note.body.startsWith(commentMarker(marker)));
      if (found || notes.length < pageSize) return found;
    }
    return undefined;
  }

  /** https://docs.gitlab.com/api/merge_requests/#merge-status */
  async function isBeingChecked(number: number, what: string, signal: AbortSignal): Promise<boolean> {
    const { detailed_merge_status: status } = await readMerge(number, what, signal);
    return /^(unchecked|checking|preparing|approvals_syncing)$/.test(status ?? "");
  }

  return {
    kind: "gitlab",
    findPullRequest,

    readPullRequest: async (number, signal) =>
      toPullRequest(await readMerge(number, `read merge request ${number}`, signal)),

    async openPullRequest(branches, { title, body: description, labels = [] }, signal) {
      const { head: source_branch, base: target_branch } = branches;
      const shown = { title, description, labels: labels.join(",") };
      const body = { source_branch, target_branch, ...shown, remove_source_branch: true };
      const what = `open a merge request of branch ${source_branch} into branch ${target_branch}`;
      const request = { ...merges, what, method: "POST", body, accepts: [409] } as const;
      const answer = await http.call({ ...request, path: `${project}/merge_requests` }, signal);
      if (answer.status !== 409) return toPullRequest(readAnswer(Merge, answer.body, request));
      const existing = await findPullRequest(branches, signal);
      if (existing?.state === "open") return existing;
      throw new ForgeError(`${where}: cannot open a merge request: the forge answers 409 and shows none`);
    },

    updatePullRequest: (number, { title, body }, signal) =>
      change(number, { title, description: body }, `change merge request ${number}`, signal),

    closePullRequest: (number, signal) =>
      change(number, { state_event: "close" }, `close merge request ${number}`, signal),

    addLabels: (number, labels, signal) =>
      change(number, { add_labels: labels.join(",") }, `label merge request ${number}`, signal),

    async keepComment(number, marker, text, signal) {
      const what = `comment on merge request ${number}`;
      const path = `${project}/merge_requests/${number}/notes`;
      const body = { body: `${commentMarker(marker)}\n${text}` };
      const existing = await findNote(path, marker, what, signal);
      if (existing?.body === body.body) return;
      const edit = { method: "PUT", path: `${path}/${existing?.id}` } as const;
      await call({ ...merges, what, body, ...(existing ? edit : { method: "POST", path }) }, signal);
    },

    async requestMerge({ number, head: sha }, method, signal): Promise<MergeRequestOutcome> {
      const what = `merge merge request ${number}`;
      // The second name is that of GitLab before 17.11.
      const body = { sha, squash: method === "squash", auto_merge: true, merge_when_pipeline_succeeds: true };
      const path = `${project}/merge_requests/${number}/merge`;
      const request = { ...merges, what, method: "PUT", path, body, accepts: [401, 405, 406, 409, 422] } as const;
      const { status, text } = await http.call(request, signal);
      if (status < 300) return { kind: "requested" };
      // With a token that is not valid, this fails.
      if (await isBeingChecked(number, what, signal)) return { kind: "checking" };
      // https://docs.gitlab.com/api/merge_requests/#merge-a-merge-request
      if (status === 401) return { kind: "refused", reason: "the token's user may not merge into the target branch" };
      return { kind: "refused", reason: `the forge answers ${status} ${text.slice(0, 200)}`.trim() };
    },

    async setCommitStatus(commit, { context, state, description, url }, signal) {
      const body = {
        name: context,
        state: states[state],
        description,
        ...(url === undefined ? {} : { target_url: url }),
      };
      const path = `${project}/statuses/${commit}`;
      const what = `report on commit ${commit}`;
      const request = { ...merges, what, method: "POST", path, body, accepts: [400] } as const;
      const answer = await http.call(request, signal);
      // The status has that state already.
      if (answer.status !== 400 || answer.text.includes("Cannot transition status")) return;
      throw new ForgeError(`${where}: cannot ${what}: the forge answers 400 ${answer.text.slice(0, 200)}`);
    },

    async listOpen(signal) {
      const open: OpenPullRequest[] = [];
      for (let page = 1; page <= mostPages; page += 1) {
        const query = { state: "opened", per_page: pageSize, page };
        const request = { ...merges, what: "list merge requests", method: "GET", query } as const;
        const found = await call({ ...request, path: `${project}/merge_requests` }, signal);
        const shown = readAnswer(z.array(Merge), found, request);
        open.push(...shown.map(toOpenPullRequest));
        if (shown.length < pageSize) break;
      }
      return open;
    },

    gitLogin: () => Promise.resolve({ username: "oauth2", token: http.token }),
  };
}

function toOpenPullRequest(merge: z.infer<typeof Merge>): OpenPullRequest {
  const { iid: number, web_url: url, title, description, source_branch: head, target_branch: base } = merge;
  return { number, url, title, body: description ?? "", branches: { head, base } };
}

function toPullRequest(merge: z.infer<typeof Merge>): PullRequest {
  const isOpen = merge.state === "opened" || merge.state === "locked";
  const commit = merge.merge_commit_sha ?? merge.squash_commit_sha;
  const isConflicting = merge.has_conflicts === true || merge.detailed_merge_status === "conflict";
  return {
    number: merge.iid,
    url: merge.web_url,
    state: merge.state === "merged" ? "merged" : isOpen ? "open" : "closed",
    title: merge.title,
    body: merge.description ?? "",
    labels: merge.labels ?? [],
    head: merge.sha ?? "",
    ...(merge.state === "merged" && commit ? { mergeCommit: commit } : {}),
    ...(merge.merged_at ? { mergedAt: merge.merged_at } : {}),
    mergeability: isConflicting ? "conflicting" : merge.detailed_merge_status === "mergeable" ? "mergeable" : "unknown",
  };
}
