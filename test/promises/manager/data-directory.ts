import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { JsonObject } from "#base";

/** A place of an integration, short: the namespace's name in the data, and what is not as usual. */
export interface Place {
  readonly namespace: string;
  readonly spec?: JsonObject;
  readonly sharding?: JsonObject;
}

/** Data files that a test writes and changes. */
export interface DataDirectory extends AsyncDisposable {
  readonly path: string;
  /** A namespace with its cluster and environment in one file; by default the cluster `c1` and the environment `test`. */
  namespace(name: string, more?: NamespaceOptions): Promise<void>;
  integration(name: string, places: readonly Place[], more?: JsonObject): Promise<void>;
  remove(kind: "namespaces" | "integrations", name: string): Promise<void>;
}

export interface NamespaceOptions {
  readonly cluster?: string;
  readonly environment?: string;
  /** Its name on the cluster, if another. */
  readonly realName?: string;
  readonly parameters?: JsonObject;
  readonly more?: JsonObject;
}

const resources = { requests: { cpu: "10m", memory: "16Mi" }, limits: { memory: "32Mi" } };

export async function dataDirectory(): Promise<DataDirectory> {
  const path = await mkdtemp(join(tmpdir(), "tenon-data-"));

  async function put(file: string, content: JsonObject): Promise<void> {
    const target = join(path, "data", file);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, JSON.stringify(content, undefined, 2));
  }

  return {
    path,
    namespace: (name, { cluster = "c1", environment = "test", realName = name, parameters = {}, more = {} } = {}) =>
      put(`namespaces/${name}.json`, {
        $schema: "/openshift/lean-namespace-1.yml",
        labels: {},
        name: realName,
        description: name,
        cluster: {
          name: cluster,
          serverUrl: `https://${cluster}.example.invalid:6443`,
          automationToken: { path: `clusters/${cluster}`, field: "token" },
        },
        environment: { name: environment, parameters: { IMAGE: "example.invalid/app", IMAGE_TAG: "1", ...parameters } },
        ...more,
      }),
    integration: (name, places, more = {}) =>
      put(`integrations/${name}.json`, {
        $schema: "/app-sre/integration-1.yml",
        name,
        description: name,
        managed: places.map(({ namespace, spec = {}, ...place }) => ({
          namespace: { $ref: `/namespaces/${namespace}.json` },
          spec: { resources, ...spec },
          ...place,
        })),
        ...more,
      }),
    remove: (kind, name) => rm(join(path, "data", kind, `${name}.json`)),
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
}
