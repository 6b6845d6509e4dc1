import { request } from "undici";
import { loadAccess } from "#kube";
import { bareAccess } from "./bare-access.ts";

/** The least that a plan needs: all objects of two kinds, in pages, parsed. A process of its own for `inventory.ts`. */
const [kubeconfig = "", namespace = ""] = process.argv.slice(2);
const { server, agent } = await bareAccess(await loadAccess({ kubeconfig }));

async function list(collection: string): Promise<number> {
  let count = 0;
  let token = "";
  do {
    const query = `limit=1000${token === "" ? "" : `&continue=${token}`}`;
    const { body } = await request(new URL(`${collection}?${query}`, server), { dispatcher: agent });
    const page: { items: unknown[]; metadata: { continue?: string } } = JSON.parse(await body.text());
    count += page.items.length;
    token = page.metadata.continue ?? "";
  } while (token !== "");
  return count;
}

const paths = [`/api/v1/namespaces/${namespace}/configmaps`, `/apis/apps/v1/namespaces/${namespace}/deployments`];
const counts = await Promise.all(paths.map(list));
if (counts.reduce((sum, count) => sum + count, 0) < 1200) throw new Error("objects are missing");
await agent.destroy();
