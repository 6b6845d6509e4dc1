import { request } from "undici";
import { loadAccess } from "#kube";
import { bareAccess } from "./bare-access.ts";

/** The least that `tenon plan` needs of a cluster: what it serves, and all objects of four kinds in some namespaces, parsed. */
const [kubeconfig = "", ...namespaces] = process.argv.slice(2);
const { server, agent } = await bareAccess(await loadAccess({ kubeconfig }));

const kinds = [
  ["api/v1", "services"],
  ["apis/apps/v1", "deployments"],
  ["apis/apps/v1", "statefulsets"],
  ["apis/batch/v1", "cronjobs"],
];
const paths = namespaces.flatMap((namespace) => {
  const lists = kinds.map(([group, plural]) => `/${group}/namespaces/${namespace}/${plural}`);
  return ["/api", "/apis"].concat(lists);
});
const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";
await Promise.all(
  paths.map(async (path) => {
    const headers = path.split("/").length === 2 ? { accept } : {};
    const { statusCode, body } = await request(new URL(path, server), { dispatcher: agent, headers });
    if (statusCode !== 200) throw new Error(`${path}: ${statusCode}`);
    JSON.parse(await body.text());
  }),
);
await agent.destroy();
