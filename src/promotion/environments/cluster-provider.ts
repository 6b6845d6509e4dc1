import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { InputError, isRecord } from "#base";
import { connect, createClient, describeRef, type KubeClient, loadAccess, type Transport } from "#kube";
import type { ClassSettings } from "./class-settings.ts";
import type { EnvironmentProvider } from "./environment-provider.ts";
import { namespaceProvider } from "./namespace-provider.ts";

export interface RemoteClustersOptions {
  /** The cluster that has the Secrets. */
  readonly client: KubeClient;
  /** Tenon's own namespace, which no tenant writes to. */
  readonly namespace: string;
  readonly installation: (signal: AbortSignal) => Promise<string>;
}

interface RemoteCluster {
  readonly version: string | undefined;
  readonly transport: Transport;
  readonly provider: EnvironmentProvider;
}

/** Connections to the clusters that classes name, by their Secrets. A changed Secret replaces its connection. */
export class RemoteClusters implements AsyncDisposable {
  readonly #options: RemoteClustersOptions;
  readonly #open = new Map<string, RemoteCluster>();

  constructor(options: RemoteClustersOptions) {
    this.#options = options;
  }

  /** Environments that are namespaces of the cluster of a class. */
  async providerOf({ name, spec }: ClassSettings, signal: AbortSignal): Promise<EnvironmentProvider> {
    const { client, namespace, installation } = this.#options;
    const secretName = spec.cluster?.secretName ?? "";
    const ref = { apiVersion: "v1", kind: "Secret", namespace, name: secretName };
    const secret = await client.find(ref, signal);
    const data = isRecord(secret?.["data"]) ? secret["data"] : {};
    const encoded = data["kubeconfig"];
    if (!secret || typeof encoded !== "string") {
      throw new InputError(`${describeRef(ref)} with the key kubeconfig not found`, {
        where: `EphemeralClass ${name}: spec.cluster.secretName`,
        next: "create it",
      });
    }
    const { resourceVersion: version } = secret.metadata;
    const known = this.#open.get(secretName);
    if (known && known.version === version) return known.provider;
    const access = await accessIn(Buffer.from(encoded, "base64").toString());
    const transport = connect(access);
    const provider = namespaceProvider({
      client: createClient(transport),
      server: access.server.href.replace(/\/$/, ""),
      certificateAuthority: access.certificateAuthority,
      installation,
    });
    this.#open.set(secretName, { version, transport, provider });
    await known?.transport[Symbol.asyncDispose]();
    return provider;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#open.values()].map(({ transport }) => transport[Symbol.asyncDispose]()));
    this.#open.clear();
  }
}

/** The reader of kubeconfigs reads files. */
async function accessIn(kubeconfig: string) {
  await using folder = await mkdtempDisposable(join(tmpdir(), "tenon-cluster-"));
  const file = join(folder.path, "kubeconfig");
  await writeFile(file, kubeconfig, { mode: 0o600 });
  return await loadAccess({ kubeconfig: file });
}
