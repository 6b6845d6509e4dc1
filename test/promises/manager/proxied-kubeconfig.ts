import { readFile, writeFile } from "node:fs/promises";
import { z } from "zod";
import { type HttpProxy, startHttpProxy } from "#faults";

const Kubeconfig = z.object({
  clusters: z.tuple([z.object({ cluster: z.object({ server: z.url(), "certificate-authority-data": z.base64() }) })]),
  users: z.tuple([
    z.object({ user: z.object({ "client-certificate-data": z.base64(), "client-key-data": z.base64() }) }),
  ]),
});

const decode = (text: string) => Buffer.from(text, "base64");

/** Stands before the cluster of a kubeconfig and sees every call of who comes through it, without any credentials. */
export async function startProxyTo(kubeconfig: string): Promise<HttpProxy> {
  const { clusters, users } = Kubeconfig.parse(JSON.parse(await readFile(kubeconfig, "utf8")));
  const { server, "certificate-authority-data": ca } = clusters[0].cluster;
  const { "client-certificate-data": cert, "client-key-data": key } = users[0].user;
  return await startHttpProxy({
    target: new URL(server),
    upstream: { tls: { ca: decode(ca), cert: decode(cert), key: decode(key) } },
  });
}

/** A kubeconfig with a context for each of the servers. */
export async function writeKubeconfig(file: string, servers: Readonly<Record<string, URL>>): Promise<void> {
  const names = Object.entries(servers);
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: names.map(([name, server]) => ({ name, cluster: { server: server.href } })),
    users: [{ name: "anonymous", user: {} }],
    contexts: names.map(([name]) => ({ name, context: { cluster: name, user: "anonymous" } })),
  };
  await writeFile(file, JSON.stringify(config));
}
