import { type Clock, InputError, isRecord, type Logger } from "#base";
import { abortable, ApiError, describeRef, keyOf, type KubeClient, type KubeObject, refOf } from "#kube";
import { hasClaimEnded, phaseOfClaim } from "../environments/claim-facts.ts";
import { type ClassSettings, readClassSettings } from "../environments/class-settings.ts";
import { environmentName, type EnvironmentProvider } from "../environments/environment-provider.ts";
import { kubeconfigOf } from "../environments/kubeconfig-secret.ts";
import { EphemeralClaim } from "../kinds/ephemeral-claim.ts";
import { EphemeralClass } from "../kinds/ephemeral-class.ts";
import { cdiDeviceOf } from "./cdi-spec.ts";
import { environmentDriver, resourceClaimLabel } from "./driver-names.ts";
import type { ClaimName, PreparedDevice } from "./kubelet-messages.ts";
import {
  type AllocatedEnvironment,
  isSameClaim,
  pipelineRunOf,
  planEnvironmentClaim,
  podClaim,
  readAllocation,
} from "./plan-environment-claim.ts";
import type { PreparedClaim, PreparedClaims } from "./prepared-claims.ts";
import { resourceVersion } from "./resource-slice.ts";
import type { KubeletPlugin } from "./serve-kubelet-plugin.ts";

export interface EnvironmentPluginDeps {
  readonly client: KubeClient;
  /** Gives tokens for environments of this cluster. */
  readonly provider: Pick<EnvironmentProvider, "renew">;
  readonly files: PreparedClaims;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The kubelet gives up after 45 s, and asks again later; our answer stands in an event of the pod. */
const patienceMs = 30_000;
const shortestPauseMs = 50;
const longestPauseMs = 1_000;
const renewalPauseMs = 60_000;

const claimKind = { apiVersion: EphemeralClaim.apiVersion, kind: EphemeralClaim.kind };

/** Gives pods the environments of their ResourceClaims. All it remembers is in the cluster and in files. */
export class EnvironmentPlugin implements KubeletPlugin {
  readonly name = environmentDriver;
  readonly #deps: EnvironmentPluginDeps;
  readonly #registration = Promise.withResolvers<void>();

  constructor(deps: EnvironmentPluginDeps) {
    this.#deps = deps;
  }

  registered(): void {
    this.#registration.resolve();
  }

  /** Until then the kubelet refuses pods that use the driver. */
  whenRegistered(signal: AbortSignal): Promise<void> {
    return abortable(this.#registration.promise, signal);
  }

  async prepare(name: ClaimName, signal: AbortSignal): Promise<readonly PreparedDevice[]> {
    const { client, log } = this.#deps;
    const resourceClaim = await this.#findResourceClaim(name, signal);
    if (!resourceClaim) {
      throw new InputError(`ResourceClaim ${name.namespace}/${name.name} with uid ${name.uid} does not exist any more`);
    }
    const allocated = readAllocation(resourceClaim);
    const run = allocated.scope === "PipelineRun" ? pipelineRunOf(await this.#podOf(resourceClaim, signal)) : undefined;
    const settings = await this.#settingsOf(allocated, signal);
    const wanted = planEnvironmentClaim(resourceClaim, allocated, run);
    const claim = await this.#untilReady(await requireClaim(wanted, client, signal), signal);
    const prepared = {
      ...name,
      claim: { name: claim.metadata.name, uid: claim.metadata.uid ?? "", className: settings.name },
    };
    await this.#writeAccess(prepared, settings, signal);
    log.info("prepared", { claim: `${name.namespace}/${name.name}`, environmentClaim: keyOf(claim) });
    const { request, pool, device } = allocated;
    return [{ requests: [request], pool, device, cdiDevices: [cdiDeviceOf(name.uid)] }];
  }

  async unprepare({ namespace, name, uid }: ClaimName, signal: AbortSignal): Promise<void> {
    const { client, files, log } = this.#deps;
    await files.remove(uid);
    const found = await client.find({ ...claimKind, namespace, name: podClaim(uid), metadataOnly: true }, signal);
    if (found?.metadata.labels?.[resourceClaimLabel] !== uid) return; // the environment of a PipelineRun ends with the run
    await client.delete(refOf(found), { uid: found.metadata.uid }, signal);
    log.info("unprepared", { claim: `${namespace}/${name}`, environmentClaim: keyOf(found) });
  }

  /** Puts back what a restart of the node has removed, then renews tokens in time until the signal is aborted. */
  async keepPrepared(signal: AbortSignal): Promise<void> {
    const { files, clock, log } = this.#deps;
    for (const claim of await files.list()) await files.writeCdi(claim);
    for (let isFirst = true; !signal.aborted; isFirst = false) {
      for (const claim of await files.list()) {
        if (!isFirst && clock.now() < claim.renewAt) continue;
        await this.#keep(claim, signal).catch((error: unknown) => {
          if (!signal.aborted) log.warn("cannot renew a token", { claim: `${claim.namespace}/${claim.name}`, error });
        });
      }
      await clock.sleep(renewalPauseMs, signal).catch(() => {}); // the loop ends by the signal
    }
  }

  async #keep(claim: PreparedClaim, signal: AbortSignal): Promise<void> {
    // Kubernetes may have removed the claim while the driver did not run.
    if (!(await this.#findResourceClaim(claim, signal))) return await this.unprepare(claim, signal);
    if (this.#deps.clock.now() < claim.renewAt) return;
    await this.#writeAccess(claim, await this.#settingsOf(claim.claim, signal), signal);
  }

  async #findResourceClaim({ namespace, name, uid }: ClaimName, signal: AbortSignal): Promise<KubeObject | undefined> {
    const ref = { apiVersion: resourceVersion, kind: "ResourceClaim", namespace, name };
    const found = await this.#deps.client.find(ref, signal);
    return found?.metadata.uid === uid ? found : undefined;
  }

  /** The pod that the claim is for. */
  async #podOf({ metadata: { name, namespace = "" }, status }: KubeObject, signal: AbortSignal): Promise<KubeObject> {
    const reserved = isRecord(status) && Array.isArray(status["reservedFor"]) ? status["reservedFor"] : [];
    const consumer = reserved.filter(isRecord).find(({ resource }) => resource === "pods");
    if (!consumer) throw new InputError(`ResourceClaim ${namespace}/${name} is not reserved for a pod`);
    const ref = { apiVersion: "v1", kind: "Pod", namespace, name: String(consumer["name"]), metadataOnly: true };
    const pod = await this.#deps.client.get(ref, signal);
    if (pod.metadata.uid === consumer["uid"]) return pod;
    throw new InputError(`${describeRef(ref)} is another one than the one that the claim is reserved for`);
  }

  async #settingsOf(
    { className }: Pick<AllocatedEnvironment, "className">,
    signal: AbortSignal,
  ): Promise<ClassSettings> {
    const { apiVersion, kind } = EphemeralClass;
    const found = await this.#deps.client.find({ apiVersion, kind, name: className }, signal);
    if (!found) {
      throw new InputError(`EphemeralClass ${className} not found`, {
        next: "create it, or name another in the parameters of the DeviceClass",
      });
    }
    const settings = readClassSettings(EphemeralClass.parse(found));
    if (settings.spec.provider !== "cluster") return settings;
    throw new InputError(`the environments of EphemeralClass ${className} are on another cluster`, {
      next: "make an EphemeralClaim, and use its Secret as a workspace: the driver may not read Secrets, where the token is",
    });
  }

  /** Waits as long as the kubelet does. */
  async #untilReady(claim: KubeObject, signal: AbortSignal): Promise<KubeObject> {
    const { client, clock } = this.#deps;
    const end = clock.monotonic() + patienceMs;
    for (let pauseMs = shortestPauseMs; ; pauseMs = Math.min(pauseMs * 1.5, longestPauseMs)) {
      const found = await client.find(refOf(claim), signal);
      if (!found || found.metadata.uid !== claim.metadata.uid) {
        throw new InputError(`EphemeralClaim ${keyOf(claim)} was deleted before its environment was ready`);
      }
      if (phaseOfClaim(found) === "Ready" && found.metadata.deletionTimestamp === undefined) return found;
      const message = `EphemeralClaim ${keyOf(found)} is ${phaseOfClaim(found)}: ${readyMessage(found)}`;
      if (hasClaimEnded(found)) throw new InputError(message, { next: "start the run again" });
      if (clock.monotonic() > end) throw new Error(`${message}; Kubernetes asks again`);
      await clock.sleep(pauseMs, signal);
    }
  }

  async #writeAccess(
    prepared: Omit<PreparedClaim, "environment" | "renewAt">,
    settings: ClassSettings,
    signal: AbortSignal,
  ): Promise<void> {
    const { provider, files, clock } = this.#deps;
    const { claim } = prepared;
    const access = await provider.renew(claim, settings, signal);
    const environment = environmentName(claim);
    if (!access) throw new Error(`environment ${environment} of EphemeralClaim ${claim.name} does not exist any more`);
    const now = clock.now();
    // Two thirds of its life: there is time to try again.
    const renewAt = now + ((access.tokenExpiresAt - now) * 2) / 3;
    await files.write({ ...prepared, environment, renewAt }, kubeconfigOf(access));
  }
}

/** Creates a claim, or finds the one that an earlier call has created. */
async function requireClaim(wanted: KubeObject, client: KubeClient, signal: AbortSignal): Promise<KubeObject> {
  const found = await client.find(refOf(wanted), signal);
  if (!found) {
    try {
      return await client.create(wanted, {}, signal);
    } catch (error) {
      if (!(error instanceof ApiError) || !error.isAlreadyExists) throw error;
      return await requireClaim(wanted, client, signal);
    }
  }
  if (isSameClaim(wanted, found)) return found;
  throw new InputError(`EphemeralClaim ${keyOf(found)} exists already and is not one of the driver's`, {
    next: "delete it",
  });
}

function readyMessage({ status }: KubeObject): string {
  const conditions = isRecord(status) && Array.isArray(status["conditions"]) ? status["conditions"] : [];
  const message = conditions.filter(isRecord).find(({ type }) => type === "Ready")?.["message"];
  return typeof message === "string" ? message : "Tenon has not looked at it yet; does the part environments run?";
}
