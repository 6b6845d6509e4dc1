import { type Clock, InputError, Secret } from "#base";
import { readAuthority } from "./read-certificates.ts";
import type { ChosenContext } from "./choose-context.ts";
import type { ClusterAccess } from "./cluster-access.ts";
import { anonymousCredentials } from "./credentials.ts";
import { environmentProxy } from "./environment-proxy.ts";
import type { ExecCluster } from "./exec-plugin.ts";
import type { ClusterEntry } from "./kubeconfig-file.ts";
import { readCredentialField } from "./credential-field.ts";
import { impersonationOf, userCredentials } from "./user-credentials.ts";

/** Reads and checks everything that a context refers to. */
export async function contextAccess(
  { name, context, cluster, user }: ChosenContext,
  { clock, env }: { readonly clock: Clock; readonly env: NodeJS.ProcessEnv },
): Promise<ClusterAccess> {
  const where = `${cluster.file}, context ${name}`;
  const entry = cluster.value;
  const server = serverOf(entry, where);
  const authority = await authorityOf(entry, cluster.file, where);
  if (authority !== undefined && entry["insecure-skip-tls-verify"]) {
    throw new InputError("`insecure-skip-tls-verify` and a certificate authority exclude each other", {
      where,
      next: "remove `insecure-skip-tls-verify`",
    });
  }
  const proxy = proxyOf(entry, where) ?? environmentProxy(server, env);
  const credentialsDeps = { clock, env, cluster: execCluster(entry, authority) };
  const userWhere = user === undefined ? where : `${user.file}, context ${name}`;
  const impersonation = impersonationOf(user?.value, userWhere);
  return {
    context: name,
    source: cluster.file,
    server,
    namespace: context.namespace ?? "default",
    ...(authority === undefined ? {} : { certificateAuthority: authority }),
    ...(entry["tls-server-name"] === undefined ? {} : { tlsServerName: entry["tls-server-name"] }),
    ...(entry["insecure-skip-tls-verify"] ? { skipsTlsVerification: true } : {}),
    ...(proxy === undefined ? {} : { proxy: new Secret(proxy.href) }),
    ...(entry["disable-compression"] ? { isCompressionDisabled: true } : {}),
    // Like kubectl: nothing secret is sent in the clear.
    credentials:
      server.protocol === "https:" ? await userCredentials(user, userWhere, credentialsDeps) : anonymousCredentials,
    ...(impersonation === undefined ? {} : { impersonation }),
  };
}

function serverOf({ server }: ClusterEntry, where: string): URL {
  const next = "set `server` to the API server's URL, like https://10.0.0.1:6443";
  if (server === undefined) throw new InputError("the cluster has no server", { where, next });
  const url = URL.canParse(server) ? new URL(server) : undefined;
  if (!url || !["https:", "http:"].includes(url.protocol) || url.hostname === "") {
    throw new InputError("the cluster's `server` is not an https URL", { where, next });
  }
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    throw new InputError("the cluster's `server` holds more than scheme, host, port and path", { where, next });
  }
  return url;
}

async function authorityOf(entry: ClusterEntry, file: string, where: string): Promise<string | undefined> {
  const field = "certificate-authority";
  const pem = await readCredentialField({ field, data: entry[`${field}-data`], path: entry[field] }, file, where);
  return pem === undefined ? undefined : readAuthority(pem, where);
}

function proxyOf(entry: ClusterEntry, where: string): URL | undefined {
  const given = entry["proxy-url"];
  if (given === undefined) return undefined;
  const next = "set `proxy-url` to an http or https URL";
  if (!URL.canParse(given)) throw new InputError("`proxy-url` is not a URL", { where, next });
  const url = new URL(given);
  if (url.protocol === "http:" || url.protocol === "https:") return url;
  const scheme = url.protocol.slice(0, -1);
  throw new InputError(`\`proxy-url\` names a proxy of the kind ${scheme}, which is not supported`, { where, next });
}

function execCluster(entry: ClusterEntry, authority: string | undefined): ExecCluster {
  const config = entry.extensions.find(({ name }) => name === "client.authentication.k8s.io/exec")?.extension;
  return {
    server: entry.server ?? "",
    ...(entry["tls-server-name"] === undefined ? {} : { "tls-server-name": entry["tls-server-name"] }),
    ...(entry["insecure-skip-tls-verify"] ? { "insecure-skip-tls-verify": true } : {}),
    ...(authority === undefined ? {} : { "certificate-authority-data": Buffer.from(authority).toString("base64") }),
    ...(entry["proxy-url"] === undefined ? {} : { "proxy-url": entry["proxy-url"] }),
    ...(entry["disable-compression"] ? { "disable-compression": true } : {}),
    ...(config === undefined ? {} : { config }),
  };
}
