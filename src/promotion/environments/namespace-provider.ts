import { isDeepStrictEqual } from "node:util";
import { ConflictError, InputError, isRecord } from "#base";
import {
  ApiError,
  defaultFieldManager,
  describeRef,
  type KubeClient,
  type KubeObject,
  refOf,
  requestToken,
} from "#kube";
import { environmentAccount, environmentAnnotations, environmentLabels } from "../kinds/environment-names.ts";
import { type SpaceRole, spaceRoles } from "../kinds/space-binding.ts";
import type { ClassSettings } from "./class-settings.ts";
import {
  environmentBinding,
  environmentBounds,
  environmentNamespace,
  spaceRoleBinding,
} from "./environment-objects.ts";
import {
  type EnvironmentAccess,
  type EnvironmentId,
  environmentName,
  type EnvironmentProvider,
} from "./environment-provider.ts";

/** The cluster that environments are made in. */
export interface EnvironmentCluster {
  readonly client: KubeClient;
  readonly server: string;
  /** PEM. */
  readonly certificateAuthority?: string | undefined;
  /** Tells the environments of this installation from those of others that use the same cluster. */
  readonly installation: (signal: AbortSignal) => Promise<string>;
}

/** How long the containers of an environment that ends may run on: a pod may ask for years. */
const longestGraceSeconds = 30;

/** Environments that are namespaces of one cluster. */
export function namespaceProvider(cluster: EnvironmentCluster): EnvironmentProvider {
  const { client } = cluster;

  async function findNamespace({ uid }: EnvironmentId, signal: AbortSignal): Promise<KubeObject | undefined> {
    const found = await client.find({ apiVersion: "v1", kind: "Namespace", name: environmentName({ uid }) }, signal);
    return found?.metadata.labels?.[environmentLabels.claimUid] === uid ? found : undefined;
  }

  async function requireNamespace(wanted: KubeObject, { uid }: EnvironmentId, signal: AbortSignal): Promise<void> {
    try {
      await client.create(wanted, { fieldManager: defaultFieldManager }, signal);
      return;
    } catch (error) {
      if (!(error instanceof ApiError) || !error.isAlreadyExists) throw error;
    }
    const found = await findNamespace({ uid }, signal);
    if (found && found.metadata.deletionTimestamp === undefined) return;
    throw new ConflictError(`${describeRef(refOf(wanted))} exists already`, {
      owner: found ? "an environment that is being removed" : "someone else",
      next: "make another claim",
    });
  }

  /** Kubernetes deletes the pods of a namespace with the grace that they ask for; those that have too much are deleted again. */
  async function hastenPods(namespace: string, signal: AbortSignal): Promise<void> {
    const pods = { apiVersion: "v1", kind: "Pod", namespace };
    const { items } = await client.list({ ...pods, metadataOnly: true }, signal);
    const slow = items.filter(({ metadata }) => (metadata.deletionGracePeriodSeconds ?? 0) > longestGraceSeconds);
    await Promise.all(
      slow.map(({ metadata: { name, uid } }) =>
        client.delete({ ...pods, name }, { uid, gracePeriodSeconds: longestGraceSeconds }, signal),
      ),
    );
  }

  async function accessTo(id: EnvironmentId, settings: ClassSettings, signal: AbortSignal): Promise<EnvironmentAccess> {
    const namespace = environmentName(id);
    const expirationSeconds = Math.ceil(settings.tokenMs / 1_000);
    const account = { namespace, name: environmentAccount };
    const { token, expiresAt } = await requestToken(client, account, { expirationSeconds }, signal);
    const { certificateAuthority } = cluster;
    return {
      namespace,
      server: settings.spec.server ?? cluster.server,
      ...(certificateAuthority === undefined ? {} : { certificateAuthority }),
      token,
      tokenExpiresAt: expiresAt,
    };
  }

  async function shareRole(
    role: SpaceRole,
    users: readonly string[],
    id: EnvironmentId,
    settings: ClassSettings,
    signal: AbortSignal,
  ): Promise<void> {
    const wanted = spaceRoleBinding(role, users, id, settings);
    const live = await client.find(refOf(wanted), signal);
    if (users.length === 0) {
      if (live) await client.delete(refOf(live), { uid: live.metadata.uid }, signal);
      return;
    }
    if (isDeepStrictEqual(live?.["subjects"], wanted["subjects"])) return;
    await client.apply(wanted, { fieldManager: defaultFieldManager, force: true, metadataOnly: true }, signal);
  }

  return {
    async provision(request, signal) {
      const apply = (object: KubeObject) =>
        client.apply(object, { fieldManager: defaultFieldManager, force: true, metadataOnly: true }, signal);
      await requireNamespace(environmentNamespace(request, await cluster.installation(signal)), request, signal);
      await Promise.all(environmentBounds(request).map(apply));
      await apply(environmentBinding(request)).catch((error: unknown) => {
        throw explainBinding(error, request.settings);
      });
      return await accessTo(request, request.settings, signal);
    },

    async exists(id, signal) {
      const found = await findNamespace(id, signal);
      return found !== undefined && found.metadata.deletionTimestamp === undefined;
    },

    async renew(id, settings, signal) {
      try {
        return await accessTo(id, settings, signal);
      } catch (error) {
        if (error instanceof ApiError && error.isNotFound) return undefined;
        throw error;
      }
    },

    async share(id, users, settings, signal) {
      await Promise.all(spaceRoles.map((role) => shareRole(role, users[role] ?? [], id, settings, signal)));
    },

    async release(id, signal) {
      const found = await findNamespace(id, signal);
      if (!found) return { kind: "gone" };
      if (found.metadata.deletionTimestamp === undefined) {
        // The account first: Kubernetes removes what is in a namespace in no certain order.
        const inEnvironment = { namespace: found.metadata.name, name: environmentAccount };
        await client.delete({ apiVersion: "v1", kind: "ServiceAccount", ...inEnvironment }, {}, signal);
        await client.delete(
          { apiVersion: "rbac.authorization.k8s.io/v1", kind: "RoleBinding", ...inEnvironment },
          {},
          signal,
        );
        await client.delete(refOf(found), { uid: found.metadata.uid }, signal);
      }
      // An account of another cluster may lack the right.
      await hastenPods(found.metadata.name, signal).catch((error: unknown) => {
        if (!(error instanceof ApiError) || !error.isForbidden) throw error;
      });
      return { kind: "waiting", message: describeRemoval(found) };
    },

    async list(signal) {
      const labelSelector = `${environmentLabels.installation}=${await cluster.installation(signal)}`;
      const { items } = await client.list(
        { apiVersion: "v1", kind: "Namespace", labelSelector, metadataOnly: true },
        signal,
      );
      return items.flatMap(({ metadata: { labels = {}, annotations = {} } }) => {
        const uid = labels[environmentLabels.claimUid];
        return uid === undefined ? [] : [{ uid, claim: annotations[environmentAnnotations.claim] ?? "" }];
      });
    },
  };
}

/** Kubernetes says which rights are missing, and not what to do. */
function explainBinding(error: unknown, { name, clusterRole }: ClassSettings): unknown {
  if (!(error instanceof ApiError) || !error.isForbidden) return error;
  return new InputError(`Tenon may not bind ClusterRole ${clusterRole}`, {
    where: `EphemeralClass ${name}`,
    next: "add it to promote.environmentClusterRoles of the chart, or name another",
    cause: error,
  });
}

/** What Kubernetes says keeps a namespace from going away. */
function describeRemoval({ metadata: { name }, status }: KubeObject): string {
  const conditions =
    isRecord(status) && Array.isArray(status["conditions"]) ? status["conditions"].filter(isRecord) : [];
  const blocking = conditions
    .filter((condition) => condition["status"] === "True" && typeof condition["message"] === "string")
    .map((condition) => String(condition["message"]));
  return [`namespace ${name} is being removed`, ...blocking].join("; ");
}
