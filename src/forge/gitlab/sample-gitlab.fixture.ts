import {
  pageOf,
  type SampleAnswer,
  type SampleCall,
  type SampleForge,
  type SampleForgeState,
  type SamplePull,
  startSampleForge,
} from "../sample-forge.fixture.ts";

const project = "/api/v4/projects/acme%2Fgitops";
const notFound: SampleAnswer = { status: 404, body: { message: "404 Project Not Found" } };

/** The routes of https://docs.gitlab.com/api/merge_requests/ and .../commits/ that Tenon calls. */
export function startSampleGitlab(): Promise<SampleForge> {
  return startSampleForge(answer);
}

function answer(call: SampleCall, state: SampleForgeState): SampleAnswer {
  if (!call.path.startsWith(project)) return notFound;
  const [, collection = "", id, part, partId] = call.path.slice(project.length).split("/");
  const { method, body } = call;
  if (collection === "statuses") {
    state.statuses.push({ commit: id, ...body });
    return { status: 201, body: {} };
  }
  if (collection !== "merge_requests") return notFound;
  if (id === undefined)
    return method === "POST" ? create(body, state) : { status: 200, body: pageOf(list(call, state), call, 20) };
  const pull = state.pulls.find(({ number }) => String(number) === id);
  if (!pull) return notFound;
  if (part === "notes") return notes(call, pull, partId, state);
  if (part === "merge") {
    if (pull.isConflicting || pull.isBeingChecked) return { status: 405, body: { message: "405 Method Not Allowed" } };
    pull.mergeAsked = body;
    return { status: 200, body: show(pull) };
  }
  if (typeof body["title"] === "string") pull.title = body["title"];
  if (typeof body["description"] === "string") pull.body = body["description"];
  if (body["state_event"] === "close") pull.state = "closed";
  addLabels(pull, body["add_labels"]);
  return { status: 200, body: show(pull) };
}

function create(body: SampleCall["body"], state: SampleForgeState): SampleAnswer {
  const pull = state.open({
    head: String(body["source_branch"]),
    base: String(body["target_branch"]),
    title: String(body["title"]),
    body: String(body["description"]),
  });
  if (!pull) return { status: 409, body: { message: ["Another open merge request already exists"] } };
  addLabels(pull, body["labels"]);
  return { status: 201, body: show(pull) };
}

/** GitLab takes a text of names with commas, and none for an empty one. */
function addLabels({ labels }: SamplePull, text: unknown): void {
  if (typeof text === "string") for (const label of text.split(",").filter(Boolean)) labels.add(label);
}

function list({ query }: SampleCall, state: SampleForgeState): unknown[] {
  const wants = (name: string, value: string) => (query.get(name) ?? value) === value;
  return state.pulls
    .filter((pull) => wants("source_branch", pull.head) && wants("target_branch", pull.base))
    .filter((pull) => query.get("state") !== "opened" || pull.state === "open")
    .map(show);
}

/** Newest first, unless asked otherwise. */
function notes(call: SampleCall, pull: SamplePull, id: string | undefined, state: SampleForgeState) {
  const { method, query, body } = call;
  const existing = pull.comments.find((comment) => String(comment.id) === id);
  if (method === "PUT" && existing) existing.body = String(body["body"]);
  if (method === "POST") pull.comments.push({ id: state.nextId++, body: String(body["body"]) });
  const shown = query.get("sort") === "asc" ? pull.comments : pull.comments.toReversed();
  return { status: 200, body: method === "GET" ? pageOf(shown, call, 20) : {} };
}

function show(pull: SamplePull): unknown {
  return {
    iid: pull.number,
    web_url: `https://gitlab.example/acme/gitops/-/merge_requests/${pull.number}`,
    state: pull.state === "open" ? "opened" : pull.state,
    title: pull.title,
    description: pull.body,
    labels: [...pull.labels],
    sha: pull.sha,
    source_branch: pull.head,
    target_branch: pull.base,
    source_project_id: 1,
    target_project_id: 1,
    merge_commit_sha: pull.state === "merged" ? "d".repeat(40) : null,
    merged_at: pull.state === "merged" ? "2026-01-01T00:00:00Z" : null,
    has_conflicts: pull.isConflicting,
    detailed_merge_status: pull.isConflicting ? "conflict" : pull.isBeingChecked ? "checking" : "mergeable",
  };
}
