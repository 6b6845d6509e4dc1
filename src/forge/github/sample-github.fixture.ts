import {
  pageOf,
  type SampleAnswer,
  type SampleCall,
  type SampleForge,
  type SampleForgeState,
  type SamplePull,
  startSampleForge,
} from "../sample-forge.fixture.ts";

const repository = "/api/v3/repos/acme/gitops";
const notFound: SampleAnswer = { status: 404, body: { message: "Not Found" } };

/** The routes of https://docs.github.com/rest/pulls and its neighbours that Tenon calls. */
export function startSampleGithub(): Promise<SampleForge> {
  return startSampleForge(answer);
}

function answer(call: SampleCall, state: SampleForgeState): SampleAnswer {
  const { method, path, body } = call;
  if (/^\/api\/v3\/app\/installations\/\d+\/access_tokens$/.test(path)) {
    return { status: 201, body: { token: "installation-token-1", expires_at: "2026-01-01T01:00:00Z" } };
  }
  if (path === "/api/graphql") return enableAutoMerge(body, state);
  if (!path.startsWith(repository)) return notFound;
  const [, collection = "", id = "", part = "", partId = ""] = path.slice(repository.length).split("/");
  if (collection === "statuses") {
    state.statuses.push({ commit: id, id: state.nextId++, ...body });
    return { status: 201, body: {} };
  }
  if (collection === "commits" && part === "statuses") {
    return { status: 200, body: state.statuses.filter(({ commit }) => commit === id).toReversed() };
  }
  if (collection === "commits" && part === "check-runs") {
    const wanted = call.query.get("check_name");
    const found = state.checkRuns.filter((run) => run["head_sha"] === id && run["name"] === wanted);
    return { status: 200, body: { total_count: found.length, check_runs: found.slice(-1) } };
  }
  if (collection === "check-runs" && method === "POST") {
    state.checkRuns.push({ conclusion: null, details_url: null, ...body, id: state.nextId++ });
    return { status: 201, body: {} };
  }
  if (collection === "check-runs") {
    const place = state.checkRuns.findIndex((run) => String(run["id"]) === id);
    if (place === -1) return notFound;
    state.checkRuns[place] = { ...state.checkRuns[place], ...body };
    return { status: 200, body: {} };
  }
  if (collection === "pulls" && id === "") {
    return method === "POST" ? create(body, state) : { status: 200, body: pageOf(list(call, state), call, 30) };
  }
  if (collection === "issues" && id === "comments") return editComment(part, body, state);
  const pull = state.pulls.find(({ number }) => String(number) === id);
  if (!pull || partId !== "") return notFound;
  if (part === "labels" && Array.isArray(body["labels"])) {
    for (const label of body["labels"]) pull.labels.add(String(label));
    return { status: 200, body: [] };
  }
  if (part === "comments") {
    if (method === "POST") pull.comments.push({ id: state.nextId++, body: String(body["body"]) });
    return { status: 200, body: method === "GET" ? pageOf(pull.comments, call, 30) : {} };
  }
  if (part === "merge") {
    pull.mergeAsked = body;
    return { status: 200, body: { merged: true } };
  }
  if (method === "PATCH") {
    if (typeof body["title"] === "string") pull.title = body["title"];
    if (typeof body["body"] === "string") pull.body = body["body"];
    if (body["state"] === "closed") pull.state = "closed";
  }
  return { status: 200, body: { ...show(pull), mergeable: !pull.isConflicting } };
}

/** GitHub refuses it for a pull request that could be merged at once, and for one with conflicts. */
function enableAutoMerge(body: SampleCall["body"], state: SampleForgeState): SampleAnswer {
  const { variables } = body;
  const pull = state.pulls.find(({ number }) => JSON.stringify(variables).includes(`"PR_${number}"`));
  if (!pull) return { status: 200, body: { data: null, errors: [{ message: "Could not resolve to a node" }] } };
  if (pull.isConflicting) {
    return { status: 200, body: { data: null, errors: [{ message: "Pull request is in dirty status" }] } };
  }
  pull.mergeAsked = variables;
  return { status: 200, body: { data: {} } };
}

function create(body: SampleCall["body"], state: SampleForgeState): SampleAnswer {
  const pull = state.open({
    head: String(body["head"]),
    base: String(body["base"]),
    title: String(body["title"]),
    body: String(body["body"]),
  });
  if (pull) return { status: 201, body: show(pull) };
  const errors = [{ message: `A pull request already exists for acme:${String(body["head"])}.` }];
  return { status: 422, body: { message: "Validation Failed", errors } };
}

function list({ query }: SampleCall, state: SampleForgeState): unknown[] {
  const wants = (name: string, value: string) => (query.get(name) ?? value) === value;
  return state.pulls
    .filter((pull) => wants("head", `acme:${pull.head}`) && wants("base", pull.base))
    .filter((pull) => query.get("state") !== "open" || pull.state === "open")
    .toReversed()
    .map(show);
}

function editComment(id: string, body: SampleCall["body"], state: SampleForgeState): SampleAnswer {
  const comment = state.pulls.flatMap(({ comments }) => comments).find((one) => String(one.id) === id);
  if (!comment) return notFound;
  comment.body = String(body["body"]);
  return { status: 200, body: {} };
}

function show(pull: SamplePull): Record<string, unknown> {
  return {
    number: pull.number,
    node_id: `PR_${pull.number}`,
    html_url: `https://github.example/acme/gitops/pull/${pull.number}`,
    state: pull.state === "open" ? "open" : "closed",
    title: pull.title,
    body: pull.body,
    labels: [...pull.labels].map((name) => ({ name })),
    merged_at: pull.state === "merged" ? "2026-01-01T00:00:00Z" : null,
    merge_commit_sha: pull.state === "merged" ? "d".repeat(40) : null,
    head: { ref: pull.head, sha: pull.sha },
    base: { ref: pull.base },
  };
}
