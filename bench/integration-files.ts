import { cp, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

export interface IntegrationFiles {
  readonly integrations: number;
  readonly namespaces: number;
  readonly clusters: number;
  /** Namespaces are called this and a number. */
  readonly prefix: string;
}

const schemas = join(import.meta.dirname, "..", "examples", "data");

/**
 * Writes a data repository of integrations, one file each, spread evenly over the namespaces and these over the clusters. One in
 * five has a volume, one in ten a schedule, one in four variables of its own: StatefulSets, CronJobs and Deployments, one for each
 * integration, and a Service for each namespace.
 */
export async function writeIntegrationFiles(root: string, count: IntegrationFiles): Promise<void> {
  for (const part of ["schemas", "graphql-schemas"])
    await cp(join(schemas, part), join(root, part), { recursive: true });
  const data = join(root, "data");
  for (const folder of ["integrations", "namespaces", "clusters"]) await mkdir(join(data, folder), { recursive: true });
  await writeFile(join(data, "environment.yml"), environment);
  await writeFile(join(data, "product.yml"), product);
  await writeFile(join(data, "app.yml"), app);
  await writeEach(join(data, "clusters"), count.clusters, cluster);
  await writeEach(join(data, "namespaces"), count.namespaces, (index) =>
    namespace(`${count.prefix}-${index}`, index % count.clusters),
  );
  await writeEach(join(data, "integrations"), count.integrations, (index) =>
    integration(index, index % count.namespaces),
  );
}

async function writeEach(folder: string, count: number, textOf: (index: number) => string): Promise<void> {
  for (let index = 0; index < count; index++) await writeFile(join(folder, `${index}.yml`), textOf(index));
}

const product = `---
$schema: /app-sre/product-1.yml
name: bench
description: of the benchmark
`;

const app = `---
$schema: /app-sre/app-1.yml
name: bench
description: of the benchmark
`;

const environment = `---
$schema: /app-sre/environment-1.yml
name: bench
description: of the benchmark
product:
  $ref: /product.yml
parameters:
  IMAGE_TAG: v1
`;

function cluster(index: number): string {
  return `---
$schema: /openshift/cluster-1.yml
labels: {}
name: cluster-${index}
description: of the benchmark
serverUrl: https://cluster-${index}.example.com:6443
consoleUrl: https://console.cluster-${index}.example.com
`;
}

function namespace(name: string, on: number): string {
  return `---
$schema: /openshift/namespace-1.yml
name: ${name}
description: of the benchmark
cluster:
  $ref: /clusters/${on}.yml
environment:
  $ref: /environment.yml
app:
  $ref: /app.yml
`;
}

function integration(index: number, target: number): string {
  return `---
$schema: /app-sre/integration-1.yml
name: integration-${index}
description: of the benchmark
managed:
- namespace:
    $ref: /namespaces/${target}.yml
  spec:
    resources:
      requests:
        cpu: 100m
        memory: 200Mi
      limits:
        memory: ${400 + index}Mi
${index % 5 === 0 ? "    cache: true\n    storage: 10Gi\n" : ""}${index % 10 === 1 ? `    cron: "0 * * * *"\n` : ""}${index % 4 === 0 ? ownVariables : ""}`;
}

const ownVariables = `    extraEnv:
    - name: LEVEL
      value: high
    - secretName: slack
      secretKey: URL
`;
