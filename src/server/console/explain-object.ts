import { describeError, InputError, isRecord, valueAt } from "#base";
import { explainPlug, Plug, type PlugExplanation, Socket } from "#coupling";
import { ApiError, keyOf, type KubeClient, type KubeObject, type ObjectSelection, reviewOwnAccess } from "#kube";
import {
  chainOf,
  describePropagation,
  digestsIn,
  EphemeralClaim,
  explainSnapshot,
  findRollouts,
  Propagation,
  Release,
  Snapshot,
  viewClaim,
  viewRelease,
} from "#promotion";
import { type ConsoleList, type ConsoleRow, ListQuery, type ObjectAnswer } from "./console-api.ts";
import { snapshotSteps, releaseSteps, stageSteps } from "./chain-steps.ts";
import { groupShards, integrationRow, shardOf, workloadKinds } from "./integration-rows.ts";
import { claimRow, plugRow, propagationRow, releaseRow, snapshotRow, socketRow } from "./object-rows.ts";
import type { Person } from "./person.ts";
import { queryRows } from "./query-rows.ts";

export interface ObjectKey {
  readonly namespace: string;
  readonly name: string;
}

type Explanation = Partial<Pick<ObjectAnswer, "sections" | "chain" | "related" | "relatedTotal" | "problems" | "role">>;

interface Explained {
  readonly kind: { readonly apiVersion: string; readonly kind: string };
  readonly row: (object: KubeObject) => ConsoleRow;
  readonly explain: (object: KubeObject, person: Person, signal: AbortSignal) => Promise<Explanation>;
}

const explained: Readonly<Record<Exclude<ConsoleList, "integrations">, Explained>> = {
  plugs: { kind: Plug, row: plugRow, explain: explainValuesOf },
  sockets: { kind: Socket, row: socketRow, explain: explainSocket },
  snapshots: {
    kind: Snapshot,
    row: snapshotRow,
    explain: async (object, { client }, signal) => ({
      chain: snapshotSteps(await explainSnapshot(object, client, signal)),
    }),
  },
  releases: { kind: Release, row: releaseRow, explain: explainRelease },
  propagations: {
    kind: Propagation,
    row: propagationRow,
    explain: async (object) => ({ chain: stageSteps(describePropagation(Propagation.parse(object), keyOf(object))) }),
  },
  claims: {
    kind: EphemeralClaim,
    row: claimRow,
    explain: async (object) => ({ sections: [environmentSection(object)] }),
  },
};

/** One object with its explanation, read as the person; undefined if it does not exist. */
export async function explainObject(
  list: ConsoleList,
  key: ObjectKey,
  person: Person,
  isReadOnly: boolean,
  signal: AbortSignal,
): Promise<ObjectAnswer | undefined> {
  if (list === "integrations") return await explainIntegration(key, person, signal);
  const { kind, row, explain } = explained[list];
  const { apiVersion, kind: name } = kind;
  const object = await person.client.find({ apiVersion, kind: name, ...key }, signal);
  if (!object) return undefined;
  const explanation = await explain(object, person, signal).catch((error: unknown): Explanation => {
    signal.throwIfAborted();
    // A connection that broke explains nothing.
    if (!(error instanceof InputError || (error instanceof ApiError && error.status < 500))) throw error;
    return { problems: [describeError(error)] };
  });
  return {
    ...emptyAnswer,
    ...explanation,
    row: row(object),
    ...(object.metadata.creationTimestamp === undefined ? {} : { created: object.metadata.creationTimestamp }),
    conditions: conditionsOf(object),
    events: await eventsOf(object, person.client, signal),
    actions: isReadOnly ? [] : await actionsOn(list, key, person.client, signal),
  };
}

const emptyAnswer = {
  conditions: [],
  events: [],
  sections: [],
  chain: [],
  related: [],
  relatedTotal: 0,
  problems: [],
  actions: [],
};
/** The list of plugs has the others, page by page. */
const mostRelated = 100;

async function explainValuesOf(
  { metadata: { namespace = "", name } }: KubeObject,
  { client }: Person,
  signal: AbortSignal,
): Promise<Explanation> {
  const { maps, problems, role } = await explainPlug({ namespace, name }, client, "tenon", signal);
  const rows = maps.flatMap(rowsOfMap);
  const sections =
    rows.length === 0 ? [] : [tableOf("What they exchange", ["in", "key", "value", "comes from", "in place of"], rows)];
  return { sections, problems: [...problems], ...(role === undefined ? {} : { role }) };
}

function rowsOfMap({ name, keys, dropped }: PlugExplanation["maps"][number]): string[][] {
  const used = keys.map(({ key, value, source, overrode }) => [name, key, value, source, overrode.join(", ")]);
  return used.concat(dropped.map(({ key, source }) => [name, key, "dropped: not in the interface", source, ""]));
}

/** Without the columns in which no cell says anything. */
function tableOf(
  title: string,
  columns: readonly string[],
  rows: readonly (readonly string[])[],
): ObjectAnswer["sections"][number] {
  const isUsed = (_: string, column: number): boolean => rows.some((row) => row[column]);
  return { title, columns: columns.filter(isUsed), rows: rows.map((row) => ({ cells: row.filter(isUsed) })) };
}

/** With the plugs that this person may see. */
async function explainSocket(object: KubeObject, person: Person, signal: AbortSignal): Promise<Explanation> {
  const rows = await person.list("plugs").rows(signal);
  const own = keyOf(object);
  const plugs = rows.filter(({ row }) => row.cells["socket"]?.split(" -> ").includes(own));
  const { rows: related, total } = queryRows(plugs, { ...ListQuery.parse({}), limit: mostRelated });
  return { related, relatedTotal: total };
}

/** How the environment of a claim is used. The kubeconfig stays in its Secret. */
function environmentSection(object: KubeObject): ObjectAnswer["sections"][number] {
  const { environment, server, secret, readyAt, tokenExpiresAt } = viewClaim(object);
  const facts = [
    ["namespace", environment],
    ["API server", environment === undefined ? undefined : (server ?? "that of this cluster")],
    ["kubeconfig", secret === undefined ? undefined : `key kubeconfig of the Secret ${secret}`],
    ["ready", readyAt],
    ["token valid until", tokenExpiresAt],
  ];
  const rows = facts.flatMap(([what, value]) => (what === undefined || value === undefined ? [] : [[what, value]]));
  return tableOf("The environment", ["what", "value"], rows);
}

async function explainRelease(object: KubeObject, { client }: Person, signal: AbortSignal): Promise<Explanation> {
  const { namespace } = object.metadata;
  const { snapshot } = Release.parse(object).spec;
  const { apiVersion, kind } = Snapshot;
  const problems: string[] = [];
  // What the person may not read is missing from the chain, and said.
  const orSay = async <Found>(found: Promise<Found>, otherwise: Found): Promise<Found> =>
    await found.catch((error: unknown) => {
      signal.throwIfAborted();
      problems.push(describeError(error));
      return otherwise;
    });
  const tested = await orSay(client.find({ apiVersion, kind, namespace, name: snapshot }, signal), undefined);
  const selection = { apiVersion: Propagation.apiVersion, kind: Propagation.kind, namespace };
  const served = await client.discovery.resources(signal);
  const isServed = served.some((each) => each.apiVersion === selection.apiVersion && each.kind === selection.kind);
  const items = isServed ? await orSay(listItems(client, selection, signal), []) : [];
  // They are searched for once the Release is done, and not with each of its changes: that lists all workloads.
  const isDone = viewRelease(object).state === "Released";
  const rollouts = isDone ? await orSay(findRollouts(digestsIn(object, tested), namespace, client, signal), []) : [];
  const explainedTests = tested && (await explainSnapshot(tested, client, signal));
  return { chain: releaseSteps(chainOf(object, tested, items, rollouts), explainedTests), problems };
}

async function listItems(client: KubeClient, selection: ObjectSelection, signal: AbortSignal): Promise<KubeObject[]> {
  return (await client.list(selection, signal)).items;
}

async function explainIntegration(
  { namespace, name }: ObjectKey,
  person: Person,
  signal: AbortSignal,
): Promise<ObjectAnswer | undefined> {
  const { client } = person;
  const lists = await Promise.all(workloadKinds.map((kind) => client.list({ ...kind, namespace }, signal)));
  const shards = groupShards(lists.flatMap(({ items }) => items)).get(`${namespace}/${name}`);
  if (!shards) {
    const rows = await person.list("integrations").rows(signal);
    const missing = rows.find(({ row }) => row.namespace === namespace && row.name === name);
    return missing && { ...emptyAnswer, row: missing.row };
  }
  const problems: string[] = [];
  const { items: pods } = await client
    .list({ apiVersion: "v1", kind: "Pod", namespace }, signal)
    .catch((error: unknown) => {
      signal.throwIfAborted();
      problems.push(`the pods, which say why something is not ready: ${describeError(error)}`);
      return { items: [] };
    });
  const rows = shards.map((shard) => {
    const { name: own, kind, ready, image, trouble } = shardOf(shard, pods);
    return [own, kind, ready, image, trouble.join("; ")];
  });
  const events = await Promise.all(shards.map((shard) => eventsOf(shard, client, signal)));
  return {
    ...emptyAnswer,
    row: integrationRow(`${namespace}/${name}`, shards),
    sections: [tableOf("Shards", ["name", "kind", "ready", "image", "problem"], rows)],
    events: events.flat(),
    problems,
  };
}

function conditionsOf(object: KubeObject): ObjectAnswer["conditions"] {
  const conditions = valueAt(object, ["status", "conditions"]);
  return (Array.isArray(conditions) ? conditions.filter(isRecord) : []).map(conditionIn);
}

function conditionIn(each: Readonly<Record<string, unknown>>): ObjectAnswer["conditions"][number] {
  const { reason, message, lastTransitionTime: since } = each;
  return {
    type: String(each["type"]),
    status: String(each["status"]),
    ...(typeof reason === "string" ? { reason } : {}),
    ...(typeof message === "string" ? { message } : {}),
    ...(typeof since === "string" ? { since } : {}),
  };
}

const mostEvents = 20;

/** Newest first; none without the right to read them. */
async function eventsOf(object: KubeObject, client: KubeClient, signal: AbortSignal): Promise<ObjectAnswer["events"]> {
  const { namespace, name, uid } = object.metadata;
  const fieldSelector = `involvedObject.name=${name},involvedObject.kind=${object.kind}`;
  const { items } = await client
    .list({ apiVersion: "v1", kind: "Event", namespace, fieldSelector }, signal)
    .catch((error: unknown) => {
      if (error instanceof ApiError && error.isForbidden) return { items: [] };
      throw error;
    });
  const found = items.filter((event) => valueAt(event, ["involvedObject", "uid"]) === uid).map(eventIn);
  return found.toSorted((one, other) => ((one.last ?? "") < (other.last ?? "") ? 1 : -1)).slice(0, mostEvents);
}

function eventIn(event: KubeObject): ObjectAnswer["events"][number] {
  const last = event["lastTimestamp"] ?? event["eventTime"] ?? event.metadata.creationTimestamp;
  const { message, type } = event;
  return {
    reason: String(event["reason"]),
    message: typeof message === "string" ? message : "",
    type: typeof type === "string" ? type : "Normal",
    count: Number(event["count"] ?? valueAt(event, ["series", "count"]) ?? 1),
    ...(typeof last === "string" ? { last } : {}),
  };
}

async function actionsOn(
  list: ConsoleList,
  { namespace, name }: ObjectKey,
  client: KubeClient,
  signal: AbortSignal,
): Promise<ObjectAnswer["actions"]> {
  if (list !== "plugs" && list !== "sockets") return [];
  const [group] = Plug.apiVersion.split("/");
  const right = { verb: "patch", group, resource: list, namespace, name };
  return (await reviewOwnAccess(client, right, signal)).isAllowed ? ["retry"] : [];
}
