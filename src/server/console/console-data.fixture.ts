import { mkdir, mkdtempDisposable, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { packageFile } from "#base";
import { openBundleSource, openQueryableSource } from "#bundle";
import { configMapMemory, configMapText, createRefResolver, historyIn, historyName } from "#integrations";
import { loadChart } from "#template";
import type { ConsoleData } from "./console-data.ts";

export interface SampleConsoleData extends AsyncDisposable {
  readonly path: string;
  readonly data: ConsoleData;
  write(file: string, text: string): Promise<void>;
  remove(file: string): Promise<void>;
}

export interface SampleConsoleDataOptions {
  /** Of the kubeconfig, for the cluster `c1`. */
  readonly context: string;
  readonly kubeconfig: string;
  /** Each is a namespace of the data on `c1`. */
  readonly namespaces: readonly string[];
  /** Where the list of managed namespaces is. */
  readonly home: string;
}

export function integrationFile(name: string, namespace: string, more = ""): string {
  return `$schema: /app-sre/integration-1.yml
name: ${name}
description: a sample
managed:
- namespace:
    $ref: /namespaces/${namespace}.yml
  spec:
    resources:
      requests: {cpu: 10m, memory: 10Mi}
      limits: {memory: 20Mi}
${more}`;
}

/** The namespaces, which are on the cluster `c1`, and one on the cluster `c2`; without integrations. */
export function sampleDataFiles(namespaces: readonly string[]): Record<string, string> {
  const files: Record<string, string> = {
    "data/environments/test.yml": "$schema: /app-sre/environment-1.yml\nname: test\n",
  };
  for (const name of ["c1", "c2"])
    files[`data/clusters/${name}.yml`] =
      `$schema: /openshift/cluster-1.yml\nname: ${name}\nserverUrl: https://${name}.invalid\n`;
  for (const [name, cluster] of [...namespaces.map((each) => [each, "c1"] as const), ["far", "c2"] as const])
    files[`data/namespaces/${name}.yml`] = `$schema: /openshift/namespace-1.yml
name: ${name}
environment: {$ref: /environments/test.yml}
cluster: {$ref: /clusters/${cluster}.yml}
`;
  return files;
}

/** A folder with the data of one cluster that a test has, and of one that it has not. */
export async function sampleConsoleData(options: SampleConsoleDataOptions): Promise<SampleConsoleData> {
  const { context, kubeconfig, namespaces, home } = options;
  const directory = await mkdtempDisposable(join(tmpdir(), "tenon-console-"));
  const { path } = directory;
  const write = async (file: string, text: string): Promise<void> => {
    await mkdir(dirname(join(path, file)), { recursive: true });
    await writeFile(join(path, file), text);
  };
  for (const [file, text] of Object.entries(sampleDataFiles(namespaces))) await write(file, text);
  return {
    path,
    write,
    remove: (file) => rm(join(path, file)),
    data: {
      location: path,
      source: openQueryableSource(path, { acceptsUnreadable: true }),
      files: (ref) => openBundleSource(ref === undefined ? path : `${path}#${ref}`),
      desire: () => ({
        chart: loadChart(packageFile("charts", "integrations")),
        processEnv: {},
        resolveRef: createRefResolver(),
      }),
      limits: { deletions: { count: 0 } },
      clusters: { reaches: new Map([["c1", { context }]]), kubeconfig },
      memory: async (client) => configMapMemory(client, { namespace: home }),
      history: async (client) =>
        historyIn(configMapText(client, { namespace: home, name: historyName, key: "history" })),
    },
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}
