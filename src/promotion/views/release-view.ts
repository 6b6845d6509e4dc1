import { isRecord } from "#base";
import type { KubeObject } from "#kube";
import { promotionLabels, releaseConditions } from "../kinds/promotion-names.ts";

/** How far a Release is, for people; those that need someone come first in this list. */
export const shownReleaseStates = ["Invalid", "Failed", "Waiting", "Running", "Released"] as const;
export type ShownReleaseState = (typeof shownReleaseStates)[number];

/** The phases of a Release in their order, by the condition of each. */
const phases = [
  ["tenant collectors", releaseConditions.tenantCollectors],
  ["managed collectors", releaseConditions.managedCollectors],
  ["tenant pipeline", releaseConditions.tenant],
  ["managed pipeline", releaseConditions.managed],
  ["final pipeline", releaseConditions.final],
] as const;

export interface ReleasePhaseView {
  readonly phase: string;
  /** `Progressing`, `Succeeded`, `Failed` or `Skipped`. */
  readonly state: string;
  readonly since?: string;
  readonly message?: string;
}

/** A Release as tables and explanations show it. */
export interface ReleaseView {
  readonly namespace: string;
  readonly release: string;
  readonly snapshot: string;
  readonly plan: string;
  readonly author?: string;
  readonly automated: boolean;
  readonly state: ShownReleaseState;
  /** The phase that runs or failed. */
  readonly phase?: string;
  readonly since?: string;
  readonly created: string;
  readonly phases: readonly ReleasePhaseView[];
  readonly next?: string;
}

type Fields = Readonly<Record<string, unknown>>;

export function viewRelease({ metadata, spec, status }: KubeObject): ReleaseView {
  const { namespace = "", name, labels = {}, creationTimestamp = "" } = metadata;
  const { snapshot, releasePlan } = isRecord(spec) ? spec : {};
  const known = isRecord(status) ? status : {};
  const conditions = Array.isArray(known["conditions"]) ? known["conditions"].filter(isRecord) : [];
  const find = (type: string): Fields | undefined => conditions.find((condition) => condition["type"] === type);
  const shown = phases.flatMap(([phase, type]) => viewPhase(phase, find(type)));
  const [validated, released] = [find(releaseConditions.validated), find(releaseConditions.released)];
  const state = stateOf(validated, released);
  const current = shown.find((each) => each.state === (state === "Failed" ? "Failed" : "Progressing"));
  const attribution = isRecord(known["attribution"]) ? known["attribution"] : {};
  const author = textOf(attribution["author"]) ?? labels[promotionLabels.author];
  const since = textOf((state === "Invalid" ? validated : released)?.["lastTransitionTime"]);
  const next = adviseRelease(state, `${namespace}/${name}`, textOf(validated?.["message"]), current);
  return {
    namespace,
    release: name,
    snapshot: String(snapshot),
    plan: String(releasePlan),
    ...(author === undefined ? {} : { author }),
    automated: labels[promotionLabels.automated] === "true",
    state,
    ...(current ? { phase: current.phase } : {}),
    ...(since === undefined ? {} : { since }),
    created: creationTimestamp,
    phases: shown,
    ...(next === undefined ? {} : { next }),
  };
}

function viewPhase(phase: string, condition: Fields | undefined): ReleasePhaseView[] {
  if (!condition) return [];
  const since = textOf(condition["lastTransitionTime"]);
  const message = textOf(condition["message"]);
  return [
    {
      phase,
      state: String(condition["reason"]),
      ...(since === undefined ? {} : { since }),
      ...(message === undefined ? {} : { message }),
    },
  ];
}

function stateOf(validated: Fields | undefined, released: Fields | undefined): ShownReleaseState {
  if (validated?.["status"] === "False") return "Invalid";
  if (released?.["status"] === "True") return "Released";
  if (released?.["reason"] === "Failed") return "Failed";
  return validated || released ? "Running" : "Waiting";
}

function adviseRelease(
  state: ShownReleaseState,
  key: string,
  invalid: string | undefined,
  phase: ReleasePhaseView | undefined,
): string | undefined {
  if (state === "Invalid") return invalid;
  if (state === "Failed") {
    const [line = ""] = (phase?.message ?? "").split("\n", 1);
    const first = line.replace(/:$/, "");
    const what = phase === undefined ? "it failed" : `the ${phase.phase} failed${first === "" ? "" : `: ${first}`}`;
    return `${what}; see \`tenon explain release/${key}\``;
  }
  if (state === "Waiting") return "no controller has looked at it: run `tenon run --only promote --promote releases`";
  return undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
