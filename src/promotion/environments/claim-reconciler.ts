import { ConflictError, describeError, InputError } from "#base";
import { ApiError, keyOf, type KubeObject, type OwnerReference, refOf } from "#kube";
import {
  addFinalizer,
  done,
  hasFinalizer,
  preconditions,
  type Reconciler,
  removeFinalizer,
  requeueAfter,
  type Result,
  type TrackedStatus,
  trackStatus,
  writeConditionally,
} from "#runtime";
import { environmentAnnotations, environmentFinalizer } from "../kinds/environment-names.ts";
import type { EndReason, EphemeralClaim } from "../kinds/ephemeral-claim.ts";
import type { ClaimDeps } from "./claim-deps.ts";
import { hasClaimEnded, queueOf, readClaim, readClaimFacts, readClassState } from "./claim-facts.ts";
import type { ClassSettings } from "./class-settings.ts";
import { type ClaimFacts, decideEnd, epochOf } from "./decide-end.ts";
import { findQueuePlace } from "./claim-queue.ts";
import { type EnvironmentAccess, environmentName, type ReleaseProgress } from "./environment-provider.ts";
import { findPullSecrets } from "./find-pull-secrets.ts";
import { deleteKubeconfig, hasKubeconfig, kubeconfigSecretName, writeKubeconfig } from "./kubeconfig-secret.ts";
import { findOwner } from "./owner-state.ts";

/** How often a removal is looked at that no watch reports, such as on another cluster. */
const removalMs = 2_000;
/** How long before its end a token is replaced, at most. */
const earliestRenewalMs = 20 * 60_000;
const shortestPauseMs = 1_000;
/** How often an environment is looked at whose kubeconfig cannot be kept, such as because a person took its Secret's name. */
const refusedPauseMs = 60_000;

/** Brings a claim from the queue to its environment, and that to its end. */
export function claimReconciler(deps: ClaimDeps): Reconciler {
  return async function reconcileClaim(key, signal): Promise<Result> {
    const object = deps.claims.get(key);
    if (!object || !deps.mayWrite()) return done;
    const run = new ClaimRun(object, deps);
    try {
      return await run.advance(signal);
    } finally {
      await run.save();
      deps.admitted.delete(key);
    }
  };
}

type Ending = { readonly reason: EndReason; readonly message: string };

/** One reconcile of a claim. */
class ClaimRun {
  readonly #object: KubeObject;
  readonly #deps: ClaimDeps;
  readonly #key: string;
  #status: TrackedStatus;
  #isReleased = false;

  constructor(object: KubeObject, deps: ClaimDeps) {
    this.#object = object;
    this.#deps = deps;
    this.#key = keyOf(object);
    this.#status = this.#track(object);
  }

  #track(object: KubeObject): TrackedStatus {
    const { client, clock, mayWrite } = this.#deps;
    return trackStatus(object, client, { clock, mayWrite });
  }

  /** Writes what is known, so that the next reconcile and the queue see it. */
  async save(): Promise<void> {
    if (this.#isReleased) return;
    await this.#status.write();
    if (!this.#status.isGone) this.#deps.claims.note(this.#status.object);
  }

  async advance(signal: AbortSignal): Promise<Result> {
    let facts: ClaimFacts;
    try {
      facts = await readClaimFacts(readClaim(this.#object), this.#deps, signal);
    } catch (error) {
      throw error instanceof InputError ? this.#status.stalled("InvalidSpec", error) : error;
    }
    const { claim } = facts;
    if (hasClaimEnded(this.#object)) return await this.#forget(signal);
    const { ending, expiresAt, dueAt } = decideEnd(facts);
    const known = claim.status?.ending;
    if (known ?? ending) return await this.#release(claim, known ?? ending ?? missing(), signal);
    this.#status.set({ expiresAt: timestamp(expiresAt) });
    if (facts.class.kind !== "usable") {
      this.#status.set({ phase: "Pending", place: undefined });
      const message = `EphemeralClass ${claim.spec.className} not found; create it, or delete this claim`;
      this.#status.waiting("ClassNotFound", message);
      return this.#again(dueAt);
    }
    const { settings } = facts.class;
    if (claim.status?.admittedAt === undefined) {
      const turn = findQueuePlace(this.#key, queueOf(settings.name, this.#deps), settings);
      if (!turn.isTurn) {
        this.#status.set({ phase: "Pending", place: turn.place });
        this.#status.waiting("Queued", turn.message);
        return this.#again(dueAt);
      }
      this.#deps.admitted.add(this.#key);
      try {
        await this.#deps.providerOf(settings, signal);
      } catch (error) {
        // Before the claim is marked: there is nothing to remove.
        if (!isRefusal(error)) throw this.#status.failed("ProvisioningFailed", error);
        return await this.#release(claim, { reason: "Refused", message: describeError(error) }, signal);
      }
      if (!(await this.#admit(facts, settings, signal))) return done;
      return await this.#provision(claim, settings, facts.now, dueAt, signal);
    }
    if (claim.status.readyAt === undefined) return await this.#provision(claim, settings, facts.now, dueAt, signal);
    try {
      return await this.#keep(claim, settings, facts.now, dueAt, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (!isRefusal(error)) throw error;
      // What waits for a person must not outlive its time: no such error ends the looks at the clock.
      this.#status.waiting("AccessNotKept", describeError(error));
      return this.#again(Math.min(dueAt, facts.now + refusedPauseMs));
    }
  }

  /** From here on the claim cannot vanish before its environment does, and the class neither. */
  async #admit(facts: ClaimFacts, settings: ClassSettings, signal: AbortSignal): Promise<boolean> {
    const { client, classes } = this.#deps;
    const { claim, now } = facts;
    const found = classes.get(settings.name);
    if (found && !hasFinalizer(found, environmentFinalizer)) {
      const marked = await addFinalizer(found, environmentFinalizer, client, signal);
      if (marked) classes.note(marked);
    }
    const owner = await this.#ownerReference(claim, signal);
    const marked = await writeConditionally(
      this.#object,
      client,
      (current) => {
        const { finalizers = [], ownerReferences = [] } = current.metadata;
        const added = owner && !ownerReferences.some(({ uid }) => uid === owner.uid) ? [owner] : [];
        if (finalizers.includes(environmentFinalizer) && added.length === 0) return undefined;
        const metadata = {
          ...preconditions(current),
          finalizers: [...new Set([...finalizers, environmentFinalizer])],
          ...(added.length > 0 ? { ownerReferences: [...ownerReferences, ...added] } : {}),
        };
        return client.patch(refOf(current), { type: "merge", body: { metadata } }, signal);
      },
      signal,
    );
    if (!marked || marked.metadata.deletionTimestamp !== undefined) return false;
    this.#status = this.#track(marked);
    const admittedAt = timestamp(now);
    const { expiresAt } = decideEnd({ ...facts, claim: { ...claim, status: { ...claim.status, admittedAt } } });
    this.#status.set({ phase: "Provisioning", place: undefined, admittedAt, expiresAt: timestamp(expiresAt) });
    this.#status.waiting("Provisioning", "the environment is being made");
    await this.save();
    return !this.#status.isGone && !this.#status.isWithheld;
  }

  /** Kubernetes deletes a claim with the run that it is for. */
  async #ownerReference(claim: EphemeralClaim, signal: AbortSignal): Promise<OwnerReference | undefined> {
    // What controls a claim takes it away by itself. With a second owner it would stay until both are gone.
    const isControlled = (this.#object.metadata.ownerReferences ?? []).some(({ controller }) => controller);
    const owner = isControlled ? undefined : claim.spec.ownerRef && findOwner(claim);
    if (!owner || !this.#deps.owners[owner.kind].isServed) return undefined;
    const found = await this.#deps.client.find({ ...owner, metadataOnly: true }, signal);
    const uid = found?.metadata.uid;
    if (uid === undefined || (owner.uid !== undefined && owner.uid !== uid)) return undefined;
    return { apiVersion: owner.apiVersion, kind: owner.kind, name: owner.name, uid };
  }

  async #provision(
    claim: EphemeralClaim,
    settings: ClassSettings,
    startedAt: number,
    dueAt: number,
    signal: AbortSignal,
  ) {
    const { client, providerOf, metrics, clock, log } = this.#deps;
    const { uid = "", namespace = "" } = claim.metadata;
    let access: EnvironmentAccess;
    try {
      const provider = await providerOf(settings, signal);
      const pullSecrets = await findPullSecrets(namespace, client, signal);
      access = await provider.provision({ uid, claim: this.#key, tenant: namespace, settings, pullSecrets }, signal);
      await writeKubeconfig(claim, access, client, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (!isRefusal(error)) throw this.#status.failed("ProvisioningFailed", error);
      return await this.#release(claim, { reason: "Refused", message: describeError(error) }, signal);
    }
    const now = clock.now();
    this.#status.set({
      phase: "Ready",
      namespace: access.namespace,
      server: access.server,
      secretRef: { name: kubeconfigSecretName(claim) },
      readyAt: timestamp(now),
      tokenExpiresAt: timestamp(access.tokenExpiresAt),
    });
    this.#sayReady(claim);
    metrics.ready(now - startedAt);
    log.info("environment ready", { claim: this.#key, namespace: access.namespace });
    return this.#again(Math.min(dueAt, renewalOf(access.tokenExpiresAt, settings)));
  }

  /** Replaces the token in time, puts the Secret back, and notices when the environment is gone. */
  async #keep(claim: EphemeralClaim, settings: ClassSettings, now: number, dueAt: number, signal: AbortSignal) {
    const { client, secrets, namespaces, providerOf } = this.#deps;
    const { uid = "", namespace = "" } = claim.metadata;
    const provider = await providerOf(settings, signal);
    const renewAt = renewalOf(epochOf(claim.status?.tokenExpiresAt) ?? 0, settings);
    // What the caches do not have yet is asked for.
    const isHere =
      settings.spec.provider === "cluster" ||
      namespaces.get(environmentName({ uid })) !== undefined ||
      (await provider.exists({ uid }, signal));
    const hasSecret =
      secrets.get(`${namespace}/${kubeconfigSecretName(claim)}`) !== undefined ||
      (await hasKubeconfig(claim, client, signal));
    if (now < renewAt && hasSecret && isHere) {
      this.#sayReady(claim);
      return this.#again(Math.min(dueAt, renewAt));
    }
    const access = isHere ? await provider.renew({ uid }, settings, signal) : undefined;
    if (!access) {
      const message = "the environment was removed by someone else; make another claim";
      return await this.#release(claim, { reason: "Lost", message }, signal);
    }
    await writeKubeconfig(claim, access, client, signal);
    this.#status.set({ tokenExpiresAt: timestamp(access.tokenExpiresAt) });
    this.#sayReady(claim);
    return this.#again(Math.min(dueAt, renewalOf(access.tokenExpiresAt, settings)));
  }

  #sayReady(claim: EphemeralClaim): void {
    const namespace = environmentName({ uid: claim.metadata.uid ?? "" });
    this.#status.ready(`namespace ${namespace}; its kubeconfig is in Secret ${kubeconfigSecretName(claim)}`);
  }

  async #release(claim: EphemeralClaim, { reason, message }: Ending, signal: AbortSignal): Promise<Result> {
    const { client, clock, metrics, log } = this.#deps;
    const { uid = "", annotations = {} } = claim.metadata;
    const since = claim.status?.ending?.since ?? timestamp(clock.now());
    const isDeleted = claim.metadata.deletionTimestamp !== undefined;
    this.#status.set({ ending: { reason, message, since }, place: undefined });
    if (hasFinalizer(this.#status.object, environmentFinalizer)) {
      if (claim.status?.phase !== "Releasing") {
        this.#status.set({ phase: "Releasing" });
        this.#status.waiting("Releasing", message);
        await this.save();
      }
      await deleteKubeconfig(claim, client, signal);
      const isAbandoned = isDeleted && annotations[environmentAnnotations.abandon] === "true";
      const progress = isAbandoned ? ({ kind: "gone" } as const) : await this.#remove(claim, signal);
      if (progress.kind === "waiting") {
        this.#status.waiting("Releasing", `${message}; ${progress.message}`);
        return requeueAfter(removalMs);
      }
      if (isAbandoned) log.warn("environment abandoned", { claim: this.#key, namespace: environmentName({ uid }) });
    }
    metrics.ended(reason);
    log.info("environment released", { claim: this.#key, reason });
    if (isDeleted) return await this.#forget(signal);
    this.#conclude(reason, message);
    await this.save();
    await removeFinalizer(this.#status.object, environmentFinalizer, client, signal);
    return done;
  }

  /** A cluster that cannot be reached by what its class says keeps the claim waiting, and the claim says so. */
  async #remove(claim: EphemeralClaim, signal: AbortSignal): Promise<ReleaseProgress> {
    const state = readClassState(claim.spec.className, this.#deps);
    try {
      const settings = state.kind === "absent" ? undefined : state.settings;
      const provider = await this.#deps.providerOf(settings, signal);
      return await provider.release({ uid: claim.metadata.uid ?? "" }, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (isRefusal(error)) return { kind: "waiting", message: describeError(error) };
      throw this.#status.failed("ReleaseFailed", error);
    }
  }

  #conclude(reason: EndReason, message: string): void {
    const isFailure = reason === "Refused" || reason === "Lost";
    this.#status.set({ phase: isFailure ? "Failed" : "Released", secretRef: undefined, tokenExpiresAt: undefined });
    this.#status.setCondition({ type: "Ready", status: "False", reason, message });
    this.#status.setCondition({ type: "Released", status: "True", reason, message });
    if (reason === "Expired") this.#status.setCondition({ type: "Expired", status: "True", reason, message });
    this.#status.removeCondition("Reconciling");
    if (isFailure) this.#status.setCondition({ type: "Stalled", status: "True", reason, message });
  }

  /** Nothing of the environment is left. */
  async #forget(signal: AbortSignal): Promise<Result> {
    const { client, claims } = this.#deps;
    const object = this.#status.object;
    await removeFinalizer(object, environmentFinalizer, client, signal);
    if (object.metadata.deletionTimestamp !== undefined) {
      this.#isReleased = true;
      claims.release(object, this.#key);
    }
    return done;
  }

  #again(at: number): Result {
    return requeueAfter(Math.max(at - this.#deps.clock.now(), shortestPauseMs));
  }
}

function renewalOf(tokenExpiresAt: number, { tokenMs }: ClassSettings): number {
  return tokenExpiresAt - Math.min(tokenMs / 3, earliestRenewalMs);
}

/** What will be answered the same again. */
function isRefusal(error: unknown): boolean {
  if (error instanceof InputError || error instanceof ConflictError) return true;
  return error instanceof ApiError && (error.isForbidden || error.isInvalid || error.isBadRequest);
}

function missing(): never {
  throw new Error("a claim ends without a reason");
}

/** As the API server writes times. */
function timestamp(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d{3}Z$/, "Z");
}
