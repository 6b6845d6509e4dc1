import { InputError, isRecord, valueAt } from "#base";
import { ApiError, describeRef, type KubeClient, type KubeObject, type ObjectRef } from "#kube";
import { combineDockerConfigs, type DockerConfigText, type RegistryCredentials } from "#oci";

/** A service account, seen by itself. */
export interface ActingAccount {
  readonly namespace: string;
  readonly name: string;
  /** Reads with the rights of the account, and no others. */
  readonly client: Pick<KubeClient, "find">;
}

const mostSecrets = 100;
/** The types of Secrets with credentials for registries, and the key that has them. */
const configKeys: Readonly<Record<string, string>> = {
  "kubernetes.io/dockerconfigjson": ".dockerconfigjson",
  "kubernetes.io/dockercfg": ".dockercfg",
};

/**
 * The same cluster as a service account, so that it reads through Tenon what it can read by itself. The API server adds the
 * groups of the account.
 */
export function actAs(client: KubeClient, namespace: string, name: string): ActingAccount {
  return { namespace, name, client: client.impersonate({ user: `system:serviceaccount:${namespace}:${name}` }) };
}

/**
 * The credentials for registries that are linked to a service account, read as that account: `secrets` before
 * `imagePullSecrets`, which often may pull only. Of all of them the longest prefix of a repository's name wins.
 */
export async function readAccountCredentials(
  account: ActingAccount,
  signal: AbortSignal,
): Promise<RegistryCredentials> {
  const ref = { apiVersion: "v1", kind: "ServiceAccount", namespace: account.namespace, name: account.name };
  const found = await readAs(account, ref, signal);
  if (!found) {
    throw new InputError(`${describeRef(ref)} not found`, {
      next: "create it and link a Secret with credentials for the registry to it, or name another in tenantPipeline.serviceAccountName",
    });
  }
  const names = [...new Set([...namesIn(found["secrets"]), ...namesIn(found["imagePullSecrets"])])];
  if (names.length > mostSecrets) {
    throw new InputError(`${describeRef(ref)} has ${names.length} Secrets`, {
      next: `link at most ${mostSecrets} to it`,
    });
  }
  const configs = await Promise.all(names.map((name) => readConfig(account, name, signal)));
  return combineDockerConfigs(configs.flat());
}

/** The texts of a Secret's keys, read as the account. */
export async function readAccountSecret(
  account: ActingAccount,
  name: string,
  where: string,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const ref = { apiVersion: "v1", kind: "Secret", namespace: account.namespace, name };
  const found = await readAs(account, ref, signal);
  if (!found) throw new InputError(`${describeRef(ref)} not found`, { where, next: "create it, or correct the name" });
  return textsOf(found);
}

async function readConfig(account: ActingAccount, name: string, signal: AbortSignal): Promise<DockerConfigText[]> {
  const ref = { apiVersion: "v1", kind: "Secret", namespace: account.namespace, name };
  const found = await readAs(account, ref, signal);
  const key = configKeys[String(found?.["type"])];
  // The kubelet, too, leaves out Secrets that do not exist; others are linked for git.
  if (!found || key === undefined) return [];
  const text = textsOf(found).get(key);
  return text === undefined ? [] : [{ text, where: `Secret ${account.namespace}/${name}` }];
}

async function readAs(account: ActingAccount, ref: ObjectRef, signal: AbortSignal): Promise<KubeObject | undefined> {
  try {
    return await account.client.find(ref, signal);
  } catch (cause) {
    if (!(cause instanceof ApiError) || cause.status !== 403) throw cause;
    throw new InputError(`the service account ${account.namespace}/${account.name} may not read ${describeRef(ref)}`, {
      next: `give it \`get\` on that object: the Role appstudio-pipeline-credentials of charts/tenant does, for the Secrets in its values`,
      cause,
    });
  }
}

function textsOf(secret: KubeObject): ReadonlyMap<string, string> {
  const data = valueAt(secret, ["data"]);
  return new Map(
    Object.entries(isRecord(data) ? data : {}).flatMap(([key, value]) =>
      typeof value === "string" ? [[key, Buffer.from(value, "base64").toString()] as const] : [],
    ),
  );
}

function namesIn(value: unknown): string[] {
  return (Array.isArray(value) ? value : []).flatMap((entry) => {
    const name: unknown = isRecord(entry) ? entry["name"] : undefined;
    return typeof name === "string" && name !== "" ? [name] : [];
  });
}
