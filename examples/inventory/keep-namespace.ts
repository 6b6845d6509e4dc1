import { readFile } from "node:fs/promises";
import { createLogger, describeError, isJsonObject } from "#base";
import { parseYamlDocuments } from "#yaml";
import { ClusterClients, describePlan, fetchCurrentState, ManagedObject, realizeData } from "#inventory";
import { connect, createClient, loadAccess } from "#kube";

/** Keeps a namespace as a file of objects says: `keep-namespace.ts FILE NAMESPACE [--dry-run]`. */
const [file = "objects.yaml", namespace = "default", flag] = process.argv.slice(2);
const identity = { integration: "keep-namespace", integrationVersion: "0.1.0" };
const target = { cluster: "main", namespace };
const log = createLogger();
const signal = AbortSignal.timeout(10 * 60_000);

const main = { name: "main", open: async () => createClient(connect(await loadAccess())) };
await using clusters = await ClusterClients.connect([main], {}, signal);
const managedKinds = ["ConfigMap", "Secret", "Service", "Deployment"];
const { inventory } = await fetchCurrentState(
  { ...identity, namespaces: [target], managedKinds, clusters, log },
  signal,
);

for (const { value, line } of parseYamlDocuments(await readFile(file), { file })) {
  const errorDetails = `${file}:${line}`;
  try {
    const resource = new ManagedObject({ body: isJsonObject(value) ? value : {}, ...identity, errorDetails });
    inventory.addDesiredResource("main", namespace, resource);
  } catch (error) {
    inventory.registerError({ stage: "desired", ...target, what: describeError(error) });
  }
}

const dryRun = flag === "--dry-run";
const { plan, outcomes, isSuccess } = await realizeData({ ...identity, inventory, clusters, dryRun, log }, signal);
process.stdout.write(describePlan(plan));
for (const { method, path, body = "" } of dryRun ? outcomes.flatMap(({ calls }) => calls) : []) {
  process.stdout.write(`${method} ${path} ${body}\n`);
}
process.exitCode = isSuccess ? 0 : 1;
