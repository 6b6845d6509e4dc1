import { Octokit } from "@octokit/core";
import { z } from "zod";
import type { Clock, Secret } from "#base";
import manifest from "#manifest" with { type: "json" };
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
} from "../forge.ts";
import { explainAnswer, type ForgeCall, ForgeError, readAnswer } from "../forge-error.ts";
import { CommitStatuses, isSameStatus, latestStatus } from "../sent-status.ts";
import { checkRunContent, CheckRuns, planCheckRun } from "./check-run.ts";
import { type GithubCredentials, GithubTokens } from "./github-token.ts";

export interface GithubOptions {
  readonly credentials: GithubCredentials;
  readonly clock: Pick<Clock, "now">;
  /** The connections to use; default: Node's own. */
  readonly fetch?: (url: string, init: object) => Promise<unknown>;
}

const Pull = z.object({
  number: z.int(),
  node_id: z.string(),
  html_url: z.string(),
  state: z.string(),
  title: z.string(),
  body: z.string().nullish(),
  labels: z.array(z.object({ name: z.string() })).nullish(),
  merged_at: z.string().nullish(),
  merge_commit_sha: z.string().nullish(),
  /** Absent in lists, and null while GitHub computes it. */
  mergeable: z.boolean().nullish(),
  head: z.object({ ref: z.string(), sha: z.string() }),
  base: z.object({ ref: z.string() }),
});
const Comments = z.array(z.object({ id: z.int(), body: z.string().nullish() }));
const GraphqlAnswer = z.object({ errors: z.array(z.object({ message: z.string() })).optional() });
const Token = z.object({ token: z.string(), expires_at: z.string() });

const pageSize = 100;
const mostPages = 20;

const states: Readonly<Record<CommitState, string>> = {
  pending: "pending",
  running: "pending",
  success: "success",
  warning: "success",
  failure: "failure",
  error: "error",
  canceled: "error",
  skipped: "success",
};

const enableAutoMerge = `mutation ($id: ID!, $method: PullRequestMergeMethod!, $head: GitObjectID!) {
  enablePullRequestAutoMerge(input: { pullRequestId: $id, mergeMethod: $method, expectedHeadOid: $head }) { clientMutationId }
}`;

/** GitHub and GitHub Enterprise Server, by the REST API and, for automatic merges, GraphQL. */
export function githubForge({ server, name }: ForgeRepository, { credentials, clock, fetch }: GithubOptions): Forge {
  const where = `${server}/${name}`;
  const [owner = "", repo = ""] = name.split("/");
  const baseUrl = server === "https://github.com" ? "https://api.github.com" : `${server}/api/v3`;
  const octokit = new Octokit({ baseUrl, userAgent: `tenon/${manifest.version}` });
  const tokens = new GithubTokens(credentials, requestInstallationToken, clock);
  const pulls = { where, right: "read and write pull requests (Pull requests: write)" };

  /** Undefined for an answer that `accepts` names. */
  async function send(
    call: ForgeCall & { readonly route: string; readonly accepts?: readonly number[] },
    parameters: Readonly<Record<string, unknown>>,
    token: Secret,
    signal: AbortSignal,
  ): Promise<{ readonly status: number; readonly data: unknown }> {
    const headers = { authorization: `Bearer ${token.reveal()}` };
    let answered: { readonly status: number; readonly headers: object; readonly data: unknown };
    try {
      // Not followed, so that the token reaches no other host.
      const transport = { signal, redirect: "manual" as const, ...(fetch && { fetch }) };
      answered = await octokit.request(call.route, { ...parameters, headers, request: transport });
    } catch (error) {
      signal.throwIfAborted();
      const answer = answerOf(error);
      if (!answer) throw new ForgeError(`${where}: cannot ${call.what}: GitHub does not answer`, { cause: error });
      if (call.accepts?.includes(answer.status)) return { status: answer.status, data: answer.text };
      throw explainAnswer(call, answer, clock.now());
    }
    if (answered.status < 300) return answered;
    throw explainAnswer(call, { status: answered.status, headers: textsOf(answered.headers), text: "" }, clock.now());
  }

  async function request(
    call: Parameters<typeof send>[0],
    parameters: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): ReturnType<typeof send> {
    return send(call, { owner, repo, ...parameters }, await tokens.get(signal), signal);
  }

  async function requestInstallationToken(installation_id: number, appToken: Secret, signal: AbortSignal) {
    const call = { where, what: "get a token of the App's installation", right: "act for this installation" };
    const route = "POST /app/installations/{installation_id}/access_tokens";
    const body = { installation_id, repositories: [repo] };
    return readAnswer(Token, (await send({ ...call, route }, body, appToken, signal)).data, call);
  }

  async function readPull(number: number, signal: AbortSignal): Promise<z.infer<typeof Pull>> {
    const call = { ...pulls, what: `read pull request ${number}`, route: "GET /repos/{owner}/{repo}/pulls/{number}" };
    return readAnswer(Pull, (await request(call, { number }, signal)).data, call);
  }

  async function findPullRequest({ head, base }: PullRequestBranches, signal: AbortSignal) {
    const route = "GET /repos/{owner}/{repo}/pulls";
    const query = { head: `${owner}:${head}`, base, state: "all", sort: "created", direction: "desc", per_page: 10 };
    const call = { ...pulls, what: `find the pull request of branch ${head}`, route };
    const found = readAnswer(z.array(Pull), (await request(call, query, signal)).data, call);
    const newest = found.find(({ state }) => state === "open") ?? found[0];
    if (!newest) return undefined;
    return toPullRequest(newest.state === "open" ? await readPull(newest.number, signal) : newest);
  }

  async function setCheckRun(head_sha: string, status: CommitStatus, signal: AbortSignal): Promise<void> {
    const call = { where, what: `report on commit ${head_sha}`, right: "write check runs (Checks: write)" };
    const query = { head_sha, check_name: status.context, filter: "latest" };
    const list = { ...call, route: "GET /repos/{owner}/{repo}/commits/{head_sha}/check-runs" };
    const [latest] = readAnswer(CheckRuns, (await request(list, query, signal)).data, call).check_runs;
    const content = checkRunContent(status);
    const step = planCheckRun(latest, content);
    const route = "/repos/{owner}/{repo}/check-runs";
    if (step.kind === "create") {
      await request({ ...call, route: `POST ${route}` }, { name: status.context, head_sha, ...content }, signal);
    } else if (step.kind === "update") {
      await request({ ...call, route: `PATCH ${route}/{id}` }, { id: step.id, ...content }, signal);
    }
  }

  /** Oldest first, as GitHub lists them. */
  async function findComment(number: number, marker: string, call: ForgeCall, signal: AbortSignal) {
    const list = { ...call, route: "GET /repos/{owner}/{repo}/issues/{number}/comments" };
    for (let page = 1; page <= mostPages; page += 1) {
      const { data } = await request(list, { number, per_page: pageSize, page }, signal);
      const comments = readAnswer(Comments, data, call);
      const found = comments.find((comment) => comment.body?.startsWith(commentMarker(marker)));
      if (found || comments.length < pageSize) return found;
    }
    return undefined;
  }

  async function change(number: number, body: object, what: string, signal: AbortSignal): Promise<void> {
    await request({ ...pulls, what, route: "PATCH /repos/{owner}/{repo}/pulls/{number}" }, { number, ...body }, signal);
  }

  return {
    kind: "github",
    findPullRequest,

    readPullRequest: async (number, signal) => toPullRequest(await readPull(number, signal)),

    async openPullRequest(branches, { title, body }, signal) {
      const route = "POST /repos/{owner}/{repo}/pulls";
      const what = `open a pull request of branch ${branches.head} into branch ${branches.base}`;
      const call = { ...pulls, what, route };
      const answer = await request({ ...call, accepts: [422] }, { ...branches, title, body }, signal);
      if (answer.status !== 422) return toPullRequest(readAnswer(Pull, answer.data, call));
      const existing = await findPullRequest(branches, signal);
      if (existing?.state === "open") return existing;
      throw explainAnswer(call, { status: 422, headers: {}, text: String(answer.data) }, clock.now());
    },

    updatePullRequest: (number, { title, body }, signal) =>
      change(number, { title, body }, `change pull request ${number}`, signal),

    closePullRequest: (number, signal) => change(number, { state: "closed" }, `close pull request ${number}`, signal),

    async addLabels(number, labels, signal) {
      const route = "POST /repos/{owner}/{repo}/issues/{number}/labels";
      await request({ ...pulls, what: `label pull request ${number}`, route }, { number, labels }, signal);
    },

    async keepComment(number, marker, text, signal) {
      const call = { ...pulls, what: `comment on pull request ${number}` };
      const route = "/repos/{owner}/{repo}/issues/{number}/comments";
      const body = `${commentMarker(marker)}\n${text}`;
      const existing = await findComment(number, marker, call, signal);
      if (existing?.body === body) return;
      if (!existing) await request({ ...call, route: `POST ${route}` }, { number, body }, signal);
      else {
        const edit = "PATCH /repos/{owner}/{repo}/issues/comments/{id}";
        await request({ ...call, route: edit }, { id: existing.id, body }, signal);
      }
    },

    async requestMerge({ number, head }, method: MergeMethod, signal): Promise<MergeRequestOutcome> {
      const call = { where, what: `merge pull request ${number}`, right: "merge (Contents: write)" };
      const { node_id: id } = await readPull(number, signal);
      const variables = { id, method: method.toUpperCase(), head };
      const route = server === "https://github.com" ? "POST /graphql" : `POST ${server}/api/graphql`;
      const asked = await request({ ...call, route }, { query: enableAutoMerge, variables }, signal);
      const problems = readAnswer(GraphqlAnswer, asked.data, call);
      const said = problems.errors?.map(({ message }) => message).join("; ");
      if (said === undefined) return { kind: "requested" };
      // There is nothing to wait for: every rule is met, and the merge itself checks them once more.
      if (!/clean status/i.test(said)) return { kind: "refused", reason: said };
      const merge = { ...call, route: "PUT /repos/{owner}/{repo}/pulls/{number}/merge", accepts: [405, 409] };
      const { status, data } = await request(merge, { number, merge_method: method, sha: head }, signal);
      if (status < 300) return { kind: "requested" };
      return { kind: "refused", reason: `GitHub answers ${status} ${String(data).slice(0, 200)}` };
    },

    async setCommitStatus(sha, status, signal) {
      // Only an App may write check runs, which show more than a commit status.
      if (credentials.kind === "app") return setCheckRun(sha, status, signal);
      const { context, state, description, url } = status;
      const call = { where, what: `report on commit ${sha}`, right: "write commit statuses (Commit statuses: write)" };
      const body = { context, state: states[state], description: description.slice(0, 140) };
      const list = { ...call, route: "GET /repos/{owner}/{repo}/commits/{sha}/statuses" };
      const { data } = await request(list, { sha, per_page: pageSize }, signal);
      const latest = latestStatus(readAnswer(CommitStatuses, data, call), context);
      if (latest && isSameStatus(latest, { ...body, url })) return;
      const route = "POST /repos/{owner}/{repo}/statuses/{sha}";
      await request({ ...call, route }, { sha, ...body, ...(url === undefined ? {} : { target_url: url }) }, signal);
    },

    async listOpen(signal) {
      const open: OpenPullRequest[] = [];
      for (let page = 1; page <= mostPages; page += 1) {
        const call = { ...pulls, what: "list pull requests", route: "GET /repos/{owner}/{repo}/pulls" };
        const query = { state: "open", per_page: pageSize, page };
        const shown = readAnswer(z.array(Pull), (await request(call, query, signal)).data, call);
        open.push(...shown.map(toOpenPullRequest));
        if (shown.length < pageSize) break;
      }
      return open;
    },

    gitLogin: async (signal) => ({ username: "x-access-token", token: await tokens.get(signal) }),
  };
}

const Failure = z.object({
  status: z.number(),
  response: z.object({
    headers: z.record(z.string(), z.union([z.string(), z.number()]).optional()),
    data: z.unknown(),
  }),
});

/** What GitHub answered, from an error of octokit; undefined if it did not. */
function answerOf(error: unknown) {
  const { data: failure } = Failure.safeParse(error);
  if (!failure) return undefined;
  const { headers, data } = failure.response;
  const text = typeof data === "string" ? data : JSON.stringify(data ?? "");
  return { status: failure.status, headers: textsOf(headers), text };
}

function textsOf(headers: object): Record<string, string> {
  const present = Object.entries(headers).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present.map(([name, value]) => [name, String(value)]));
}

function toOpenPullRequest(pull: z.infer<typeof Pull>): OpenPullRequest {
  const { number, html_url: url, title, body, head, base } = pull;
  return { number, url, title, body: body ?? "", branches: { head: head.ref, base: base.ref } };
}

function toPullRequest(pull: z.infer<typeof Pull>): PullRequest {
  const state = pull.merged_at ? "merged" : pull.state === "open" ? "open" : "closed";
  const isKnown = state === "open" && typeof pull.mergeable === "boolean";
  return {
    number: pull.number,
    url: pull.html_url,
    state,
    title: pull.title,
    body: pull.body ?? "",
    labels: pull.labels?.map((label) => label.name) ?? [],
    head: pull.head.sha,
    ...(pull.merged_at && pull.merge_commit_sha ? { mergeCommit: pull.merge_commit_sha } : {}),
    ...(pull.merged_at ? { mergedAt: pull.merged_at } : {}),
    mergeability: isKnown ? (pull.mergeable ? "mergeable" : "conflicting") : "unknown",
  };
}
