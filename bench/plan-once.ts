import { ClusterClients, planChanges } from "#inventory";
import { connect, createClient, loadAccess } from "#kube";
import { makeObjects } from "./make-objects.ts";
import { identity, readAndWant } from "./read-and-want.ts";

/** Plans a namespace that `inventory.ts` has applied, and prints which requests it took; a process of its own for it. */
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
const plan = planChanges(await readAndWant(clusters, namespace, makeObjects(namespace)), identity);
if (plan.actions.length > 0 || plan.unchanged !== 1200) throw new Error(`${plan.actions.length} actions`);
console.log(JSON.stringify(requests));
