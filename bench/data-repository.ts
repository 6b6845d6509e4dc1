import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

const clusters = 20;
const environments = 10;
const namespaces = 1_500;

/** Writes a data repository of so many files, 20 MB for 8,000, in the proportions of a real one; all of it is valid. */
export async function writeDataRepository(root: string, files: number): Promise<void> {
  const written = new Map<string, string>();
  for (let index = 0; index < clusters; index++) written.set(`clusters/cluster-${index}.yml`, cluster(index));
  for (let index = 0; index < environments; index++) written.set(`environments/env-${index}.yml`, environment(index));
  for (let index = 0; index < namespaces; index++) written.set(namespacePath(index), namespace(index));
  for (let index = written.size; index < files; index++) {
    written.set(`services/service-${index % 400}/integrations/integration-${index}.yml`, integration(index));
  }
  for (const [path, text] of written) {
    const file = join(root, "data", path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
}

function namespacePath(index: number): string {
  return `services/service-${index % 400}/namespaces/namespace-${index}.yml`;
}

function cluster(index: number): string {
  return `---
$schema: /openshift/cluster-1.yml
labels:
  region: region-${index % 3}
name: cluster-${index}
description: a cluster of the benchmark
serverUrl: https://api.cluster-${index}.example.com:6443
automationToken:
  path: clusters/cluster-${index}/token
  field: token
`;
}

function environment(index: number): string {
  return `---
$schema: /app-sre/environment-1.yml
name: env-${index}
description: an environment of the benchmark
servicePhase: ${["dev", "stage", "prod"][index % 3]}
parameters:
  LOG_LEVEL: info
  REPLICAS: ${index}
  ALLOWED: [a, b, c]
`;
}

function namespace(index: number): string {
  return `---
$schema: /openshift/namespace-1.yml
labels: {}
name: namespace-${index}
description: a namespace of the benchmark
cluster:
  $ref: /clusters/cluster-${index % clusters}.yml
environment:
  $ref: /environments/env-${index % environments}.yml
managedResourceTypes:
- Deployment
- Service
- ConfigMap
`;
}

function integration(index: number): string {
  const entries = [0, 1, 2, 3].map((place) => managed((index * 4 + place) % namespaces, index, place));
  return `---
$schema: /app-sre/integration-1.yml
labels:
  team: team-${index % 40}
name: integration-${index}
description: >-
  An integration of the benchmark, with a description that is as long as those
  that people write when they are asked to say what something is for.
upstream: https://git.example.com/integrations/integration-${index}
managed:
${entries.join("")}`;
}

function managed(target: number, index: number, place: number): string {
  return `- namespace:
    $ref: /${namespacePath(target)}
  spec:
    resources:
      requests:
        memory: ${place + 1}00Mi
        cpu: 100m
      limits:
        memory: 1Gi
        cpu: 200m
    logs:
      slack: true
      googleChat: false
    # Arguments of the command, as one line.
    extraArgs: "--thread-pool-size 20 --log-level INFO --number ${index}"
    extraEnv:
    - name: SOME_SETTING
      value: value-${index}-${place}
    - secretName: some-secret
      secretKey: some-key
    cron: "*/5 * * * *"
    concurrencyPolicy: Forbid
    imageRef: "${index.toString(16).padStart(7, "0")}"
  sharding:
    strategy: static
    shards: ${place + 1}
`;
}
