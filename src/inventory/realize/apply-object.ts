import type { Clock } from "#base";
import { ApiError, describeRef, isKubeObject, type KubeObject, type NewObject, refOf } from "#kube";
import { annotation, ownerOf } from "../object/attribution.ts";
import { mapAt, without } from "../object/exact.ts";
import { stampTime } from "../object/managed-object.ts";
import { foldStringData } from "../object/object-hash.ts";
import type { Action } from "../plan/plan.ts";
import { isNamespaceMissing, refusedChange } from "./explain-failure.ts";
import { inheritFields, releaseFields } from "./migrate-field-managers.ts";
import { NotDone } from "./outcome.ts";
import type { RealizeContext } from "./realize-options.ts";
import { markRestart } from "./recycle.ts";
import { adoptLeftReplicaSets, replaceObject } from "./replace-object.ts";
import { takeExcludedFields } from "./take-excluded-fields.ts";
import { waitFor } from "./wait.ts";
import { clusterScope } from "../resource-inventory.ts";

/** Applies an object by server-side apply. Returns it as it is then, or in a dry run as it would be sent. */
export async function applyObject(action: Action, context: RealizeContext, signal: AbortSignal): Promise<KubeObject> {
  const { client, integration, clock, restartAt, log } = context;
  const wanted = objectToSend(action, clock);
  if (action.action === "create") {
    const object = markRestart(wanted, restartAt);
    return (await applyNew(object, context, signal)) ?? object;
  }
  const live = checkUnchanged(action.expected, await client.find(refOf(wanted), signal), integration);
  const { annotations = {} } = live.metadata;
  // If nothing changes, there may still be pods that an earlier run did not get to restart.
  const object = markRestart(wanted, action.diff.length > 0 ? restartAt : annotations[annotation.restart]);
  // Fields that its owner applied with other tools are removed if not desired; fields of an object made by hand stay.
  const known = ownerOf(live.metadata) !== undefined ? await inheritFields(live, context, signal) : live;
  const taken = action.diff.flatMap(({ path, manager }) => (manager === undefined ? [] : [`${path} (${manager})`]));
  if (taken.length > 0) log.info("taking fields back", { object: describeRef(refOf(wanted)), fields: taken });
  const isShown = action.action === "replace" && context.dryRun;
  const applied = isShown
    ? await replaceObject(object, known, undefined, context, signal)
    : await applyKnown(object, known, context, signal);
  if (applied) await release(applied, context, signal);
  return applied ?? object;
}

async function applyNew(
  object: KubeObject,
  context: RealizeContext,
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  const { writer } = context;
  if (object.kind === "Deployment") await adoptLeftReplicaSets(object, context, signal);
  try {
    return await (object.metadata.generateName !== undefined && object["kind"] === "PipelineRun"
      ? writer.create(withoutName(object), signal)
      : writer.apply(object, {}, signal));
  } catch (error) {
    if (!isNamespaceMissing(error)) throw error;
    await awaitNamespace(object, context, signal);
    return await writer.apply(object, {}, signal);
  }
}

async function awaitNamespace(
  { metadata: { namespace = "" } }: KubeObject,
  { client, waitForNamespace, clock, waitMs: timeoutMs, log }: RealizeContext,
  signal: AbortSignal,
): Promise<void> {
  if (!waitForNamespace)
    throw new NotDone("failed", `namespace ${namespace} does not exist`, "create it, and run again");
  const ref = { apiVersion: "v1", kind: "Namespace", name: namespace };
  log.info("waiting for a namespace", { namespace });
  const look = async () => ((await client.find(ref, signal)) ? undefined : "it does not exist");
  await waitFor(`namespace ${namespace}`, look, { clock, timeoutMs }, signal);
}

/** On top of what is known to be there, and of nothing else. */
async function applyKnown(
  object: KubeObject,
  known: KubeObject,
  context: RealizeContext,
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  let live = known;
  let refusal: ApiError | undefined;
  let isTaken = false;
  for (let attempt = 1; ; attempt += 1) {
    try {
      if (refusal && !isTaken) {
        const taken = await takeExcludedFields(refusal, { object, live }, context, signal);
        if (!taken) throw refusal;
        live = taken;
        isTaken = true;
      }
      return await applyOver(object, live, context, signal);
    } catch (error) {
      if (error instanceof ApiError && refusedChange(error) !== undefined)
        return await replaceObject(object, live, error, context, signal);
      if (error instanceof ApiError && error.isInvalid && !refusal) {
        refusal = error;
        continue;
      }
      if (attempt === attempts || !(error instanceof ApiError && error.isConflict)) throw error;
      live = checkUnchanged(expectedOf(live), await context.client.find(refOf(object), signal), context.integration);
    }
  }
}

/** Takes the fields that we set from those who hold them; the fields of others that we do not set stay theirs. */
async function applyOver(
  object: KubeObject,
  live: KubeObject,
  { writer }: RealizeContext,
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  const { uid, resourceVersion } = live.metadata;
  const conditional = {
    ...object,
    metadata: { ...object.metadata, ...(uid && { uid }), ...(resourceVersion && { resourceVersion }) },
  };
  return await writer.apply(conditional, { force: true }, signal);
}

/** A failure here does not fail the object, which is as desired; the next write tries again. */
async function release(applied: KubeObject, context: RealizeContext, signal: AbortSignal): Promise<void> {
  let current: KubeObject | undefined = applied;
  for (let attempt = 1; current && attempt <= attempts; attempt += 1) {
    try {
      await releaseFields(current, context, signal);
      return;
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ApiError && error.isConflict)) {
        context.log.warn("cannot remove old field managers", { object: describeRef(refOf(applied)), error });
        return;
      }
      current = await context.client.find(refOf(applied), signal);
    }
  }
}

/** The server makes the name. */
function withoutName(object: KubeObject): NewObject {
  const { name: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

const serverFields = new Set(["managedFields", "resourceVersion", "uid"]);

/**
 * The object that an action applies, with the time and its namespace. A Secret's `stringData` goes as `data`: the server does not
 * record the manager of `stringData`, so keys that are left out later would stay.
 */
function objectToSend({ body, namespace, name }: Action, clock: Pick<Clock, "now">): KubeObject {
  if (!body) {
    throw new NotDone(
      "refused",
      "the plan does not contain the object",
      "plan again where the desired objects are available",
    );
  }
  const stamped = stampTime(body["kind"] === "Secret" ? foldStringData(body) : body, new Date(clock.now()));
  const metadata = without(mapAt(stamped, "metadata"), (key) => serverFields.has(key));
  const place = namespace === clusterScope ? {} : { namespace };
  const object: unknown = { ...stamped, metadata: { name, ...metadata, ...place } };
  if (!isKubeObject(object)) throw new TypeError("the body of an action is an object of Kubernetes");
  return object;
}

/**
 * How often another writer may write between our read and our write. While pods come and go, the controller of a workload reports several times
 * a second; what else changes the object is found by the look.
 */
export const attempts = 10;

type Expected = NonNullable<Action["expected"]>;

/** The object, if it is still what the plan was made for; what controllers report in the meantime does not count. */
export function checkUnchanged(
  expected: Expected | undefined,
  live: KubeObject | undefined,
  integration: string,
): KubeObject {
  const next = "plan again";
  if (!live) throw new NotDone("refused", "was deleted since the plan was made", next);
  if (!expected) return live;
  const { uid, resourceVersion, generation } = live.metadata;
  if (uid !== expected.uid) {
    throw new NotDone("refused", "was deleted and created again since the plan was made", next);
  }
  if (resourceVersion === expected.resourceVersion) return live;
  const owner = ownerOf(live.metadata) ?? integration;
  if (owner !== integration) throw new NotDone("refused", `belongs to ${owner} since the plan was made`, next);
  if (generation === undefined || generation !== expected.generation) {
    throw new NotDone("refused", "was changed since the plan was made", next);
  }
  return live;
}

/** What to expect of an object that was just read or written. */
function expectedOf({ metadata: { uid = "", resourceVersion = "", generation } }: KubeObject): Expected {
  return { uid, resourceVersion, generation };
}
