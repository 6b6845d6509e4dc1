import { type Clock, InputError, Secret } from "#base";
import { readClientCertificate } from "./read-certificates.ts";
import type { ClientCertificate, Credentials } from "./cluster-access.ts";
import { anonymousCredentials, rotatingCredentials } from "./credentials.ts";
import { execCredentials } from "./exec-credentials.ts";
import type { ExecCluster } from "./exec-plugin.ts";
import type { UserEntry } from "./kubeconfig-file.ts";
import { type KubeconfigEntry, pathFrom } from "./merge-kubeconfigs.ts";
import { readCredentialField } from "./credential-field.ts";
import type { Identity } from "../transport/request.ts";
import { rotatingToken, type RotatingValue, rotatingValue } from "./rotating-value.ts";

export interface UserDeps {
  readonly clock: Clock;
  readonly env: NodeJS.ProcessEnv;
  /** The cluster information for a credential plugin. */
  readonly cluster: ExecCluster;
}

/** The credentials of a kubeconfig user. A plugin runs only when they are first needed. */
export async function userCredentials(
  user: KubeconfigEntry<UserEntry> | undefined,
  where: string,
  deps: UserDeps,
): Promise<Credentials> {
  if (user === undefined) return anonymousCredentials;
  refuseRemoved(user.value, where);
  const token = await tokenOf(user, where, deps.clock);
  const clientCertificate = await clientCertificateOf(user, where, deps.clock);
  const { exec } = user.value;
  // Like kubectl: with a token, the plugin is not used.
  if (exec && token === undefined) return execCredentials({ value: exec, file: user.file }, where, deps);
  return rotatingCredentials({ token, clientCertificate });
}

function refuseRemoved(user: UserEntry, where: string): void {
  const provider = user["auth-provider"];
  if (provider) {
    throw new InputError(`the auth provider ${JSON.stringify(provider.name ?? "")} no longer exists in Kubernetes`, {
      where,
      next: replacements[provider.name ?? ""] ?? "use an `exec` credential plugin of your provider's instead",
    });
  }
  if (user.username !== undefined || user.password !== undefined) {
    throw new InputError("Kubernetes no longer knows user names with passwords", {
      where,
      next: "use a client certificate, a token or an `exec` credential plugin instead of `username` and `password`",
    });
  }
}

/** Removed in Kubernetes 1.26: https://kubernetes.io/blog/2022/11/18/upcoming-changes-in-kubernetes-1-26/ */
const replacements: Readonly<Record<string, string>> = {
  gcp: "install gke-gcloud-auth-plugin and run `gcloud container clusters get-credentials`",
  azure: "install kubelogin and run `kubelogin convert-kubeconfig`",
  oidc: "use the `exec` plugin `kubectl oidc-login` (kubelogin)",
};

async function tokenOf(
  { value, file }: KubeconfigEntry<UserEntry>,
  where: string,
  clock: Clock,
): Promise<RotatingValue<Secret> | undefined> {
  const { token, tokenFile } = value;
  if (tokenFile !== undefined) return rotatingToken(pathFrom(file, tokenFile), where, clock);
  if (token === undefined) return undefined;
  const secret = new Secret(token);
  return unchanging(secret);
}

async function clientCertificateOf(
  { value, file }: KubeconfigEntry<UserEntry>,
  where: string,
  clock: Clock,
): Promise<RotatingValue<ClientCertificate> | undefined> {
  const materials = [
    { field: "client-certificate", data: value["client-certificate-data"], path: value["client-certificate"] },
    { field: "client-key", data: value["client-key-data"], path: value["client-key"] },
  ] as const;
  const [hasCertificate, hasKey] = materials.map(({ data, path }) => (data ?? path) !== undefined);
  if (hasCertificate !== hasKey) {
    const missing = hasCertificate ? "client-key" : "client-certificate";
    throw new InputError(`a client certificate needs its key: ${missing} is missing`, {
      where,
      next: `add \`${missing}-data\` or \`${missing}\``,
    });
  }
  if (!hasCertificate) return undefined;
  const read = async () => {
    const [certificate = "", key = ""] = await Promise.all(
      materials.map((part) => readCredentialField(part, file, where)),
    );
    return readClientCertificate({ certificate, key }, where, clock);
  };
  const files = materials.flatMap(({ data, path }) => ((data ?? path === undefined) ? [] : [pathFrom(file, path)]));
  return files.length === 0 ? unchanging(await read()) : rotatingValue(files, read, clock);
}

function unchanging<Value>(value: Value): RotatingValue<Value> {
  return { current: async () => value, refresh: async () => value };
}

/** `as` and what belongs to it. */
export function impersonationOf(user: UserEntry | undefined, where: string): Identity | undefined {
  if (user === undefined) return undefined;
  const { as, "as-uid": uid, "as-groups": groups, "as-user-extra": extra } = user;
  const isAlone = as === undefined && (uid !== undefined || groups.length > 0 || Object.keys(extra ?? {}).length > 0);
  if (isAlone) {
    throw new InputError("`as-groups`, `as-uid` and `as-user-extra` need `as`", {
      where,
      next: "add `as` with a user name, or remove them",
    });
  }
  if (as === undefined) return undefined;
  return { user: as, groups, ...(uid === undefined ? {} : { uid }), ...(extra ? { extra } : {}) };
}
