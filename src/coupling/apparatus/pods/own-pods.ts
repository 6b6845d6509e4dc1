import { isIP } from "node:net";
import { type Clock, ConflictError, InputError, isRecord, valueAt } from "#base";
import { ApiError, describeRef, type KubeClient, type KubeObject, type ObjectStore, refOf } from "#kube";
import type { ScopedSelection } from "#runtime";
import type { ApparatusMetrics } from "../../coupling-metrics.ts";
import {
  apparatusLabels,
  describeObject,
  identityOf,
  namespaceOf,
  type Plug,
  serviceAccountOf,
  type Socket,
} from "../../kinds/index.ts";
import { candidateNames, isOwnedBy, podOf, serviceOf } from "./pod-objects.ts";
import type { OwnService } from "../transport/service-routes.ts";

interface OwnPodsOptions {
  readonly client: KubeClient;
  readonly pods: ObjectStore;
  readonly clock: Clock;
  readonly metrics: ApparatusMetrics;
}

/** The index of pods by the uid of the plug or socket they belong to. */
const byOwner = "owner";

/** The Service and the pod of an apparatus, created and deleted with the rights of the object's service account. */
export class OwnPods {
  readonly #options: OwnPodsOptions;
  /** By uid, since when: pods that we deleted, before the watch has reported it. */
  readonly #leaving = new Map<string, string>();

  constructor(options: OwnPodsOptions) {
    this.#options = options;
  }

  /** From the watch; a pod that only has our label does not count. */
  find(object: Plug | Socket): KubeObject | undefined {
    const { uid = "", namespace } = object.metadata;
    const pod = this.#options.pods
      .byIndex(byOwner, uid)
      .find((each) => each.metadata.namespace === namespace && isOwnedBy(each, object));
    const deletionTimestamp = this.#leaving.get(pod?.metadata.uid ?? "");
    return pod && deletionTimestamp !== undefined ? { ...pod, metadata: { ...pod.metadata, deletionTimestamp } } : pod;
  }

  isLeaving({ metadata: { uid = "", deletionTimestamp } }: KubeObject): boolean {
    return deletionTimestamp !== undefined || this.#leaving.has(uid);
  }

  /** The pod no longer exists. */
  forget({ metadata: { uid = "" } }: KubeObject): void {
    this.#leaving.delete(uid);
  }

  /** The Service of the object, which lives as long as the object; created if there is none. */
  async ensureService(object: Plug | Socket, signal: AbortSignal): Promise<OwnService> {
    return await this.#asOwner(object, async (acting) => {
      const wanted = candidateNames(object).map((name) => serviceOf(object, name));
      for (let tries = 0; ; tries++) {
        const found = await Promise.all(wanted.map((service) => acting.find(refOf(service), signal)));
        const own = found.find((service) => service && isOwnedBy(service, object));
        if (own) return readService(own, object);
        const free = wanted.find((_, index) => found[index] === undefined);
        if (!free) throw taken(found[0], object);
        try {
          return readService(await acting.create(free, {}, signal), object);
        } catch (error) {
          // A plug and a socket of the same name raced.
          if (!(error instanceof ApiError && error.isAlreadyExists) || tries > 2) throw error;
        }
      }
    });
  }

  /** The current cluster IP of that Service; undefined if there is none, or it is not the object's. */
  async findAddress(object: Plug | Socket, name: string, signal: AbortSignal): Promise<unknown> {
    return await this.#asOwner(object, async (acting) => {
      const ref = { apiVersion: "v1", kind: "Service", namespace: namespaceOf(object), name };
      const found = await acting.find(ref, signal);
      return found && isOwnedBy(found, object) ? valueAt(found, ["spec", "clusterIP"]) : undefined;
    });
  }

  /** Does nothing if it already exists. */
  async create(object: Plug | Socket, name: string, signal: AbortSignal): Promise<void> {
    const { clock, metrics } = this.#options;
    await this.#asOwner(object, async (acting) => {
      const pod = podOf(object, name, clock.now());
      try {
        await acting.create(pod, { fieldValidation: "Strict" }, signal);
        metrics.started();
      } catch (error) {
        if (!(error instanceof ApiError && error.isAlreadyExists)) throw error;
        const found = await acting.find(refOf(pod), signal);
        if (found && !isOwnedBy(found, object)) throw taken(found, object);
      }
    });
  }

  async delete(object: Plug | Socket, pod: KubeObject, signal: AbortSignal): Promise<void> {
    const { uid = "" } = pod.metadata;
    this.#leaving.set(uid, new Date(this.#options.clock.now()).toISOString());
    try {
      await this.#asOwner(object, (acting) => acting.delete(refOf(pod), { uid }, signal));
    } catch (error) {
      this.#leaving.delete(uid);
      throw error;
    }
  }

  async annotate(
    object: Plug | Socket,
    pod: KubeObject,
    annotations: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<void> {
    const body = { metadata: { uid: pod.metadata.uid, annotations } };
    await this.#asOwner(object, (acting) => acting.patch(refOf(pod), { type: "merge", body }, signal));
  }

  async #asOwner<Result>(object: Plug | Socket, act: (acting: KubeClient) => Promise<Result>): Promise<Result> {
    try {
      return await act(this.#options.client.impersonate(identityOf(object)));
    } catch (error) {
      throw explained(error, object);
    }
  }
}

/** An owner may have changed it, for example to an ExternalName for a host that they cannot reach themselves. */
function readService(service: KubeObject, object: Plug | Socket): OwnService {
  const { namespace = "", name } = service.metadata;
  const clusterIP = valueAt(service, ["spec", "clusterIP"]);
  if (typeof clusterIP === "string" && isIP(clusterIP) !== 0) return { namespace, name, clusterIP };
  throw new InputError(`${describeRef(refOf(service))} has no cluster IP, and the apparatus needs one`, {
    where: `${describeObject(object)} spec.apparatus`,
    next: "delete it; Tenon creates it again",
  });
}

function taken(found: KubeObject | undefined, object: Plug | Socket): Error {
  const name = found ? describeRef(refOf(found)) : "a Service";
  return new ConflictError(`${name} already exists, and the apparatus needs the name`, {
    owner: found?.metadata.ownerReferences?.map((owner) => `${owner.kind} ${owner.name}`).join(", ") || "another owner",
    where: `${describeObject(object)} spec.apparatus`,
    next: "delete or rename it, or rename the object",
  });
}

/** Names all rights that an apparatus needs at once: adding them one by one would lead to one refusal after the other. */
function explained(error: unknown, object: Plug | Socket): unknown {
  if (!(error instanceof ApiError && error.isForbidden && / cannot \S+ resource /.test(error.said))) return error;
  const namespace = namespaceOf(object);
  const account = serviceAccountOf(object);
  const [, verb, resource] = / cannot (\S+) resource "([^"]+)"/.exec(error.said) ?? [];
  const rules =
    '[{apiGroups: [""], resources: [pods], verbs: [create, get, patch, delete]}, {apiGroups: [""], resources: [services], verbs: [create, get]}]';
  return new InputError(`service account ${namespace}/${account} may not ${verb} ${resource}`, {
    where: `${describeObject(object)} spec.apparatus`,
    next: `bind to it {apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: apparatus, namespace: ${namespace}}, rules: ${rules}}`,
  });
}

/** A read for each call would cost about as much as the call itself. */
const trustMs = 10_000;

/** Whether Services still have their addresses: the address of a deleted Service may be given to another tenant. */
export class ServiceChecks {
  readonly #pods: Pick<OwnPods, "findAddress">;
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #trustedUntil = new WeakMap<OwnService, number>();

  constructor(pods: Pick<OwnPods, "findAddress">, clock: Pick<Clock, "monotonic">) {
    this.#pods = pods;
    this.#clock = clock;
  }

  /** Cached for a moment. */
  async isCurrent(service: OwnService, object: Plug | Socket, signal: AbortSignal): Promise<boolean> {
    const now = this.#clock.monotonic();
    if (now < (this.#trustedUntil.get(service) ?? now)) return true;
    if ((await this.#pods.findAddress(object, service.name, signal)) !== service.clusterIP) return false;
    this.#trustedUntil.set(service, now + trustMs);
    return true;
  }
}

const keptStatus = new Set([
  "phase",
  "reason",
  "message",
  "conditions",
  "initContainerStatuses",
  "containerStatuses",
  "podIP",
]);

/** The pods of apparatuses, watched by their label; no other pod is watched. */
export const apparatusPods: ScopedSelection = {
  selection: { apiVersion: "v1", kind: "Pod", labelSelector: apparatusLabels.uid },
  transform: withoutSpec,
  indexers: {
    [byOwner]({ metadata: { labels = {} } }) {
      const uid = labels[apparatusLabels.uid];
      return uid === undefined ? [] : [uid];
    },
  },
};

function withoutSpec({ apiVersion, kind, metadata, status }: KubeObject): KubeObject {
  const kept = isRecord(status) ? Object.entries(status).filter(([field]) => keptStatus.has(field)) : [];
  return { apiVersion, kind, metadata, status: Object.fromEntries(kept) };
}
