import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Clock, InputError, Secret } from "#base";
import { readAuthority } from "./read-certificates.ts";
import type { ClusterAccess } from "./cluster-access.ts";
import { rotatingCredentials } from "./credentials.ts";
import { environmentProxy } from "./environment-proxy.ts";
import { readNamedFile } from "./credential-field.ts";
import { rotatingToken } from "./rotating-value.ts";

export interface InClusterOptions {
  readonly env: NodeJS.ProcessEnv;
  /** Where Kubernetes mounts the service account. */
  readonly folder: string;
  readonly clock: Clock;
}

/** Whether this process runs in a pod: https://kubernetes.io/docs/tasks/run-application/access-api-from-pod/ */
export function isInCluster(env: NodeJS.ProcessEnv): boolean {
  return Boolean(env["KUBERNETES_SERVICE_HOST"] && env["KUBERNETES_SERVICE_PORT"]);
}

/** Access with the pod's service account. The kubelet replaces its token before it expires. */
export async function inClusterAccess({ env, folder, clock }: InClusterOptions): Promise<ClusterAccess> {
  const server = serverOf(env);
  const [ca, token] = [join(folder, "ca.crt"), join(folder, "token")];
  const where = "the pod's service account";
  const authority = readAuthority(await readNamedFile("the certificate authority", ca, where), ca);
  const namespace = await readFile(join(folder, "namespace"), "utf8").catch(() => "");
  const proxy = environmentProxy(server, env);
  return {
    context: "in-cluster",
    source: folder,
    server,
    namespace: namespace.trim() || "default",
    certificateAuthority: authority,
    ...(proxy === undefined ? {} : { proxy: new Secret(proxy.href) }),
    credentials: rotatingCredentials({ token: await rotatingToken(token, where, clock) }),
  };
}

function serverOf({ KUBERNETES_SERVICE_HOST: host = "", KUBERNETES_SERVICE_PORT: port = "" }: NodeJS.ProcessEnv): URL {
  const url = `https://${host.includes(":") ? `[${host}]` : host}:${port}`;
  if (URL.canParse(url)) return new URL(url);
  throw new InputError("KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT do not form a valid URL", {
    next: "let Kubernetes set them, or name a kubeconfig with --kubeconfig",
  });
}
