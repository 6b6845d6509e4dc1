import { valueAt } from "#base";
import { healthOf } from "#inventory";
import { describeRef, type KubeObject, refOf } from "#kube";
import type { RecordedDigests } from "../kinds/propagation.ts";

/** What one object says of a stage. */
export interface JudgedHealth {
  readonly state: "Healthy" | "Progressing" | "Red" | "Unknown";
  /** What is wrong or missing. */
  readonly message?: string;
}

export interface MergedState {
  readonly merged: RecordedDigests | undefined;
  /** Commits whose tree has these digests. */
  readonly commits: readonly string[];
}

/**
 * Whether an object is healthy with what the stage has merged. It runs these digests if it names them, or says that it applied a
 * commit which has them; an object that says neither is believed by its health alone.
 */
export function judgeHealth(object: KubeObject, stage: MergedState): JudgedHealth {
  const health = object.apiVersion.startsWith("argoproj.io/") ? judgeApplication(object) : judgeStatus(object);
  if (health.state !== "Healthy") return named(object, health);
  const missing = findMissing(object, stage);
  return missing === undefined ? health : named(object, { state: "Progressing", message: missing });
}

/** The worst of them: one that is red, else one that is not known or not ready. */
export function worstOf(all: readonly JudgedHealth[]): JudgedHealth {
  const find = (state: JudgedHealth["state"]) => all.find((each) => each.state === state);
  return find("Red") ?? find("Unknown") ?? find("Progressing") ?? { state: "Healthy" };
}

function named(object: KubeObject, { state, message = "it is not ready" }: JudgedHealth): JudgedHealth {
  return { state, message: `${describeRef(refOf(object))}: ${message}` };
}

/** https://argo-cd.readthedocs.io/en/stable/operator-manual/health/ */
function judgeApplication(object: KubeObject): JudgedHealth {
  const health = textAt(object, ["status", "health", "status"]);
  const phase = textAt(object, ["status", "operationState", "phase"]);
  const said = textAt(object, ["status", "operationState", "message"]);
  if (health === "Degraded" || health === "Missing") return { state: "Red", message: `its health is ${health}` };
  if (phase === "Failed" || phase === "Error") {
    return { state: "Red", message: `its last sync ended with ${phase}${said === undefined ? "" : `: ${said}`}` };
  }
  if (health !== "Healthy") return { state: "Progressing", message: `its health is ${health ?? "not known"}` };
  const sync = textAt(object, ["status", "sync", "status"]);
  return sync === "Synced" ? { state: "Healthy" } : { state: "Progressing", message: `it is ${sync ?? "not synced"}` };
}

function judgeStatus(object: KubeObject): JudgedHealth {
  const health = healthOf(object);
  if (health.is === "failed") return { state: "Red", message: health.why };
  return health.is === "pending" ? { state: "Progressing", message: health.missing } : { state: "Healthy" };
}

/** Why the object does not run what was merged yet. */
function findMissing(object: KubeObject, { merged, commits }: MergedState): string | undefined {
  const text = JSON.stringify([object["spec"], object["status"]]);
  let isNamed = false;
  for (const [image, digest] of Object.entries(merged?.digests ?? {})) {
    const repository = image.slice(0, image.lastIndexOf(":"));
    if (!mentions(text, repository)) continue;
    if (!text.includes(digest)) return `it does not run ${repository}@${digest} yet`;
    isNamed = true;
  }
  const applied = appliedCommits(object);
  if (isNamed || applied.length === 0 || commits.length === 0) return undefined;
  return applied.some((commit) => commits.includes(commit))
    ? undefined
    : `it has applied ${applied[0]?.slice(0, 7)}, not ${commits[0]?.slice(0, 7)} yet`;
}

/** Also in two parts, as the values of a HelmRelease may have it. */
function mentions(text: string, repository: string): boolean {
  const at = repository.indexOf("/");
  const [registry, path] = [repository.slice(0, at), repository.slice(at + 1)];
  return text.includes(`"${repository}`) || (text.includes(`"${registry}"`) && text.includes(`"${path}"`));
}

/** Argo CD has the hash; Flux has `main@sha1:hash`. */
function appliedCommits(object: KubeObject): string[] {
  const revisions = valueAt(object, ["status", "sync", "revisions"]);
  return [
    valueAt(object, ["status", "sync", "revision"]),
    ...(Array.isArray(revisions) ? revisions : []),
    valueAt(object, ["status", "lastAppliedRevision"]),
  ].flatMap((value) =>
    typeof value === "string" ? (/(?:^|[:/])([0-9a-f]{40}|[0-9a-f]{64})$/.exec(value)?.[1] ?? []) : [],
  );
}

function textAt(value: unknown, path: readonly string[]): string | undefined {
  const found = valueAt(value, path);
  return typeof found === "string" && found !== "" ? found : undefined;
}
