import { load, YAML11_SCHEMA } from "js-yaml";
import { parseYaml } from "#yaml";
import { median } from "./measure.ts";

const runs = 15;

/** Reading a large YAML file, against js-yaml with its own schema of YAML 1.1. */
export async function measureYaml(): Promise<void> {
  const text = Array.from({ length: 4_000 }, (_, number) => manifest(number)).join("");
  const times = { theirs: [] as number[], ours: [] as number[] };
  for (let run = 0; run < runs; run++) {
    times.theirs.push(processorTime(() => load(text, { schema: YAML11_SCHEMA })));
    times.ours.push(processorTime(() => parseYaml(text)));
  }
  const [theirs, ours] = [median(times.theirs), median(times.ours)];
  const size = (text.length / 1e6).toFixed(1);
  console.log(`YAML, a file of ${size} MB read: ${ours.toFixed(0)} ms of processor time (median of ${runs})`);
  console.log(`js-yaml: ${theirs.toFixed(0)} ms, ratio ${(ours / theirs).toFixed(2)} (bar: at most 1.1)`);
}

function processorTime(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

function manifest(number: number): string {
  return `- apiVersion: apps/v1
  kind: Deployment
  metadata:
    name: integration-${number}
    labels: {app: a${number}, "team": 'x'}
    annotations:
      description: a longer text with several words and an address, https://example.com/path?x=${number}
  spec:
    replicas: ${number}
    paused: false
    template:
      containers:
      - name: main
        image: "quay.io/example/thing:${number}"
        args: [--first, --second=${number}]
        resources:
          limits: {cpu: 100m, memory: 1Gi}
        command:
        - sh
        - -c
        - |
          #!/bin/sh
          echo hello ${number}
`;
}
