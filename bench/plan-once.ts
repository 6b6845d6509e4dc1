import { ClusterClients, planChanges } from "#inventory";
import { connect, createClient, loadAccess } from "#kube";
import { buildInventory, identity, makeObjects } from "./plan-inputs.ts";

/** Plans a namespace that `inventory.ts` has applied, and prints the requests. It runs in a process of its own. */
const [kubeconfig = "", namespace = ""] = process.argv.slice(2);
await using transport = connect(await loadAccess({ kubeconfig }));
const requests: string[] = [];
const counting: typeof transport = {
  ...transport,
  send(request, signal) {
    requests.push(
      `${request.method} ${request.path}${request.query?.["continue"] === undefined ? "" : " (next page)"}`,
    );
    return transport.send(request, signal);
  },
};
const clusters = ClusterClients.of({ main: createClient(counting) });
const plan = planChanges(await buildInventory(clusters, namespace, makeObjects(namespace)), identity);
if (plan.actions.length > 0 || plan.unchanged !== 1200) throw new Error(`${plan.actions.length} actions`);
console.log(JSON.stringify(requests));
