import { Agent } from "undici";
import type { ClusterAccess } from "#kube";

/** The same server without our client. */
export interface BareAccess extends AsyncDisposable {
  readonly server: URL;
  readonly agent: Agent;
}

export async function bareAccess(access: ClusterAccess, connections?: number): Promise<BareAccess> {
  const { clientCertificate } = await access.credentials.current();
  const tls = {
    ca: access.certificateAuthority,
    cert: clientCertificate?.certificate,
    key: clientCertificate?.key.reveal(),
  };
  const connect = Object.fromEntries(Object.entries(tls).filter(([, value]) => value !== undefined));
  const agent = new Agent({ connect, ...(connections === undefined ? {} : { connections }) });
  return { server: access.server, agent, [Symbol.asyncDispose]: () => agent.destroy() };
}
