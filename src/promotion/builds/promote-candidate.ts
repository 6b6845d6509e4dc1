import type { KubeClient } from "#kube";
import { type FreshStore, preconditions, writeConditionally } from "#runtime";
import { refOf } from "#kube";
import { type CandidateImage, changeCandidate } from "./candidate-list.ts";
import { patchMetadata } from "./patch-metadata.ts";

export type CandidateOutcome = "promoted" | "older" | "gone";

interface CandidateDeps {
  readonly client: Pick<KubeClient, "find" | "patch">;
  readonly components: FreshStore;
}

/**
 * Makes an image the candidate of a component, unless a newer build is. The time is written before the image: killed in
 * between, the same build is still the newest and finishes.
 */
export async function promoteCandidate(
  key: string,
  candidate: CandidateImage,
  { client, components }: CandidateDeps,
  signal: AbortSignal,
): Promise<CandidateOutcome> {
  const component = components.get(key);
  if (!component) return "gone";
  let isOlder = false;
  const dated = await patchMetadata(
    component,
    (current) => {
      const change = changeCandidate(current, candidate);
      isOlder = change === undefined;
      return change?.annotations ? { annotations: change.annotations } : {};
    },
    client,
    signal,
  );
  if (!dated) return "gone";
  components.note(dated);
  if (isOlder) return "older";
  const written = await writeConditionally(
    dated,
    client,
    (current) => {
      const change = changeCandidate(current, candidate);
      isOlder = change === undefined;
      if (!change?.status) return undefined;
      const body = { metadata: preconditions(current), status: change.status };
      return client.patch(refOf(current), { type: "merge", subresource: "status", body }, signal);
    },
    signal,
  );
  if (!written) return "gone";
  components.note(written);
  return isOlder ? "older" : "promoted";
}

const reasons: Readonly<Record<CandidateOutcome, string>> = {
  promoted: "the image is the candidate of its component",
  older: "a newer build is the candidate of the component",
  gone: "the component was deleted",
};

/** What a run or a Snapshot says about the candidate list, as the value of an annotation. */
export function promotionMark(outcome: CandidateOutcome, now: number): string {
  return JSON.stringify({ result: true, reason: reasons[outcome], lastupdatedtime: new Date(now).toISOString() });
}

/** The same for a build that cannot enter it as it is; a later look may correct that. */
export function refusalMark(reason: string, now: number): string {
  return JSON.stringify({ result: false, reason, lastupdatedtime: new Date(now).toISOString() });
}

/** Whether a mark of the candidate list says that it is done. */
export function isPromoted(mark: string | undefined): boolean {
  try {
    const value: unknown = JSON.parse(mark ?? "null");
    return typeof value === "object" && value !== null && "result" in value && value.result === true;
  } catch {
    return false;
  }
}
