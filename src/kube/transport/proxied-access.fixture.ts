import type { ClusterAccess } from "../access/cluster-access.ts";

/** For tests: how a fault proxy presents itself to the cluster. */
export async function presentationOf({ certificateAuthority, credentials }: ClusterAccess) {
  const { clientCertificate } = await credentials.current();
  const { certificate, key } = clientCertificate ?? {};
  return { tls: { ca: certificateAuthority, cert: certificate, key: key?.reveal() } };
}

/** For tests: the same cluster through a fault proxy at `server`, which has the credentials. */
export function accessThrough(access: ClusterAccess, server: URL): ClusterAccess {
  const credentials = { current: async () => ({}), renew: async () => false };
  return { context: access.context, source: access.source, namespace: access.namespace, server, credentials };
}
