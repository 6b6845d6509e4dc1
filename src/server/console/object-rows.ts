import { isRecord, valueAt } from "#base";
import {
  advisePlug,
  adviseSocket,
  asNumber,
  asRecord,
  type CoupledState,
  describeWait,
  readCoupledState,
} from "#coupling";
import { keyOf, type KubeObject } from "#kube";
import {
  type ClaimView,
  describePropagation,
  Propagation,
  readSnapshotState,
  shortDigest,
  viewClaim,
  viewRelease,
} from "#promotion";
import type { ConsoleList, ConsoleRow } from "./console-api.ts";

/** A row without what JSON cannot say. */
function rowOf(
  list: ConsoleList,
  { metadata }: KubeObject,
  fields: {
    readonly state: string;
    readonly waitsOn: ConsoleRow["waitsOn"];
    readonly since?: string | undefined;
    readonly waitsFor?: string | undefined;
    readonly next?: string | undefined;
    readonly cells: Readonly<Record<string, string | undefined>>;
  },
): ConsoleRow {
  const { state, waitsOn, since, waitsFor, next, cells } = fields;
  return {
    list,
    namespace: metadata.namespace ?? "",
    name: metadata.name,
    state,
    waitsOn,
    ...(since === undefined ? {} : { since }),
    ...(waitsFor === undefined ? {} : { waitsFor }),
    ...(next === undefined ? {} : { next }),
    cells: Object.fromEntries(Object.entries(cells).flatMap(([key, value]) => (value ? [[key, value]] : []))),
  };
}

/** A plug or socket with one of these reasons goes on only after a person has done something. */
const personReasons: ReadonlySet<string> = new Set([
  "SocketNotCreated",
  "LimitReached",
  "NamespaceNotAllowed",
  "InterfaceMismatch",
  "Suspended",
]);

function coupledWait(state: CoupledState): ConsoleRow["waitsOn"] {
  const { reason = "" } = state;
  if (state.isStalled || (state.isDeleting && state.hasFailed)) return "person";
  if (state.hasFailed || state.isDeleting) return "tenon";
  if (state.notReady !== undefined) return "person";
  if (state.isCoupled || reason === "SocketEmpty" || reason === "SocketCreated") return "nothing";
  return personReasons.has(reason) ? "person" : "tenon";
}

export function plugRow(object: KubeObject): ConsoleRow {
  const state = readCoupledState(object);
  const { target, leaves } = state;
  const socket = leaves === undefined || target === undefined ? (target ?? leaves) : `${leaves} -> ${target}`;
  return rowOf("plugs", object, {
    state: state.state,
    waitsOn: coupledWait(state),
    since: state.since,
    waitsFor: describeWait(state),
    next: advisePlug(state),
    cells: { socket },
  });
}

export function socketRow(object: KubeObject): ConsoleRow {
  const state = readCoupledState(object);
  const limit = asNumber(asRecord(object["spec"])["limit"]);
  const plugs = asNumber(asRecord(object["status"])["coupledPlugsCount"]) ?? 0;
  return rowOf("sockets", object, {
    state: state.state,
    waitsOn: coupledWait(state),
    since: state.since,
    waitsFor: describeWait(state),
    next: adviseSocket(state),
    cells: { plugs: limit ? `${plugs} of ${limit}` : String(plugs) },
  });
}

export function snapshotRow(object: KubeObject): ConsoleRow {
  const { state, since, message, next, tests, component, type, owner, created } = readSnapshotState(object);
  const passed = tests.filter(({ status }) => status === "TestPassed" || status === "TestWarning").length;
  const isBad = state === "Invalid" || state === "Failed";
  return rowOf("snapshots", object, {
    state,
    waitsOn: isBad ? "person" : state === "Testing" || state === "Waiting" ? "tenon" : "nothing",
    since: since ?? created,
    waitsFor: isBad ? message : undefined,
    next,
    cells: { of: component ?? `${type} of ${owner}`, tests: `${passed} of ${tests.length}`, created },
  });
}

export function releaseRow(object: KubeObject): ConsoleRow {
  const { state, since, created, snapshot, plan, author, next, phase, phases } = viewRelease(object);
  const isBad = state === "Invalid" || state === "Failed";
  const failed = phases.find((each) => each.phase === phase)?.message;
  return rowOf("releases", object, {
    state,
    waitsOn: isBad ? "person" : state === "Released" ? "nothing" : "tenon",
    since: since ?? created,
    waitsFor: isBad ? failed?.split("\n", 1)[0] : phase,
    next,
    cells: { plan, snapshot, author, created },
  });
}

/** Stages in these states go on only after a person has done something. */
export const personStages: ReadonlySet<string> = new Set([
  "Failed",
  "Held",
  "Manual",
  "Limited",
  "Proposed",
  "ProposedElsewhere",
]);

export function propagationRow(object: KubeObject): ConsoleRow {
  const described = describeIfValid(object);
  if (!described) {
    return rowOf("propagations", object, { state: "Invalid", waitsOn: "person", next: "correct its spec", cells: {} });
  }
  const { stages, state } = described;
  const urgent = stages.find((stage) => personStages.has(stage.state));
  const busy = stages.find((stage) => stage.state !== "UpToDate" && stage.state !== "Declined");
  const shown = urgent ?? busy ?? stages.at(-1);
  const running = stages
    .map(
      ({ stage, running: digests }) =>
        `${stage}: ${
          Object.values(digests?.digests ?? {})
            .map(shortDigest)
            .join(" ") || "unknown"
        }`,
    )
    .join(", ");
  return rowOf("propagations", object, {
    state: shown?.state ?? "New",
    waitsOn: urgent || state.startsWith("suspended") ? "person" : busy ? "tenon" : "nothing",
    since: shown?.since ?? object.metadata.creationTimestamp,
    waitsFor: busy && `stage ${shown?.stage}`,
    next: busy && shown?.next,
    cells: { stages: stages.map((each) => `${each.stage} ${each.state}`).join(", "), running },
  });
}

/** What Tenon does with a claim until it is used, or gone. */
const busyPhases: ReadonlySet<ClaimView["phase"]> = new Set(["Pending", "Provisioning", "Releasing"]);

export function claimRow(object: KubeObject): ConsoleRow {
  const view = viewClaimIfValid(object);
  if (!view)
    return rowOf("claims", object, { state: "Invalid", waitsOn: "person", next: "correct its spec", cells: {} });
  const { phase, className, owner, environment, created, readyAt, expiresAt, message, next } = view;
  const isOver = phase === "Released" || phase === "Failed";
  return rowOf("claims", object, {
    state: phase,
    waitsOn: phase === "Failed" || next !== undefined ? "person" : busyPhases.has(phase) ? "tenon" : "nothing",
    since: (phase === "Ready" ? readyAt : changedAt(object)) ?? created,
    waitsFor: phase === "Released" ? undefined : message,
    next,
    cells: { class: className, for: owner, environment, ends: isOver ? undefined : expiresAt, created },
  });
}

function viewClaimIfValid(object: KubeObject): ClaimView | undefined {
  try {
    return viewClaim(object);
  } catch {
    return undefined;
  }
}

function describeIfValid(object: KubeObject): ReturnType<typeof describePropagation> | undefined {
  try {
    return describePropagation(Propagation.parse(object), keyOf(object));
  } catch {
    return undefined;
  }
}

/** Since when the workload is as it is. */
export function changedAt(object: KubeObject): string | undefined {
  const conditions = valueAt(object, ["status", "conditions"]);
  const times = (Array.isArray(conditions) ? conditions.filter(isRecord) : []).map(({ lastTransitionTime: time }) =>
    typeof time === "string" ? time : "",
  );
  return times.toSorted().at(-1) || object.metadata.creationTimestamp;
}
