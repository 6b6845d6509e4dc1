import { join } from "node:path";
import type { JsonObject } from "#base";
import { BundleValidator, createQueryable, parseBundle } from "#bundle";
import { type Chart, loadChart } from "#template";
import type { ManagerData } from "../data/read-integrations.ts";
import type { DesiredOptions } from "./desired.ts";

/** Data for a test: two clusters, environments `test` and `prod`, a namespace in each, and the files given. */
export function sampleData(files: Readonly<Record<string, JsonObject>>): ManagerData {
  const data: Record<string, JsonObject> = {
    "/environments/test.yml": environment("test"),
    "/environments/prod.yml": environment("prod"),
    "/clusters/c1.yml": cluster("c1"),
    "/clusters/c2.yml": cluster("c2"),
    "/namespaces/test.yml": namespace("tools", "test", "c1"),
    "/namespaces/prod.yml": namespace("tools", "prod", "c2"),
    ...files,
  };
  return createQueryable(parseBundle(Buffer.from(JSON.stringify({ data })), "sample"));
}

/** The same, validated as files are. */
export function validatedData(files: Readonly<Record<string, JsonObject>>): ManagerData {
  const data = sampleData(files);
  const { bundle } = data;
  return bundle ? { ...data, validate: () => new BundleValidator().validate(bundle) } : data;
}

export function environment(name: string, parameters?: JsonObject): JsonObject {
  return { $schema: "/app-sre/environment-1.yml", name, ...(parameters && { parameters }) };
}

export function cluster(name: string, more: JsonObject = {}): JsonObject {
  return { $schema: "/openshift/cluster-1.yml", name, serverUrl: `https://${name}.example`, ...more };
}

export function namespace(name: string, ofEnvironment: string, ofCluster: string, more: JsonObject = {}): JsonObject {
  return {
    $schema: "/openshift/namespace-1.yml",
    name,
    environment: { $ref: `/environments/${ofEnvironment}.yml` },
    cluster: { $ref: `/clusters/${ofCluster}.yml` },
    ...more,
  };
}

export function integration(name: string, entries: readonly JsonObject[], more: JsonObject = {}): JsonObject {
  return { $schema: "/app-sre/integration-1.yml", name, description: "a sample", managed: entries, ...more };
}

/** An entry of `managed`, in the namespace of an environment. */
export function managed(ofEnvironment = "test", spec: JsonObject = {}, sharding?: JsonObject): JsonObject {
  const namespaceFile = ofEnvironment.startsWith("/") ? ofEnvironment : `/namespaces/${ofEnvironment}.yml`;
  return {
    namespace: { $ref: namespaceFile },
    spec: { resources: { requests: { cpu: "100m", memory: "1Gi" }, limits: { memory: "1Gi" } }, ...spec },
    ...(sharding && { sharding }),
  };
}

const root = join(import.meta.dirname, "..", "..", "..");

/** The chart that Tenon brings. */
export const ourChart: Chart = loadChart(join(root, "charts", "integrations"));
/** A small one that names and labels objects as qontract-reconcile's does. */
export const foreignChart: Chart = loadChart(join(import.meta.dirname, "sample-chart"));

export const sampleCommit = "f44e417aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";

export function sampleOptions(more: Partial<DesiredOptions> = {}): DesiredOptions {
  return { chart: ourChart, processEnv: {}, resolveRef: async () => sampleCommit, ...more };
}
