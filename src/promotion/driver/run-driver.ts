import { join } from "node:path";
import { type Clock, InputError, type Logger, type Metrics, valueAt } from "#base";
import { createReflector, defaultFieldManager, type KubeClient, type KubeObject } from "#kube";
import { createController, done, filterChanges, runControllers, runTogether } from "#runtime";
import { rememberInstallation } from "../environments/installation.ts";
import { namespaceProvider } from "../environments/namespace-provider.ts";
import { environmentDriver } from "./driver-names.ts";
import { EnvironmentPlugin } from "./environment-plugin.ts";
import { missingCdi } from "./missing-cdi.ts";
import { PreparedClaims } from "./prepared-claims.ts";
import { nodeSlice, offersSame, resourceVersion, sliceName } from "./resource-slice.ts";
import { pluginDirectory, serveKubeletPlugin } from "./serve-kubelet-plugin.ts";

export interface DriverOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly metrics?: Metrics;
  /** The node that this process runs on. */
  readonly node: string;
  /** How many environments the pods of this node may have at once. */
  readonly slots: number;
  readonly kubeletDirectory: string;
  /** Where the container runtime looks for CDI files. */
  readonly cdiDirectory: string;
  /** The API server, as pods reach it if the class does not say. */
  readonly server: string;
  /** PEM. */
  readonly certificateAuthority?: string | undefined;
}

/** Runs the resource driver of one node until the signal is aborted. Refuses a node that would not apply what it gives. */
export async function runDriver(options: DriverOptions, signal: AbortSignal): Promise<void> {
  const { client, clock, log, kubeletDirectory, cdiDirectory, server, certificateAuthority } = options;
  await requireResourceApi(client, signal);
  requireCdi(await client.get({ apiVersion: "v1", kind: "Node", name: options.node }, signal));
  const installation = rememberInstallation(client);
  const plugin = new EnvironmentPlugin({
    client,
    provider: namespaceProvider({ client, server, certificateAuthority, installation }),
    files: new PreparedClaims({
      directory: join(pluginDirectory(kubeletDirectory, environmentDriver), "claims"),
      cdiDirectory,
    }),
    clock,
    log,
  });
  await using _ = await serveKubeletPlugin(plugin, kubeletDirectory, log);
  log.info("serving the kubelet", { node: options.node, slots: options.slots });
  await runTogether(
    [
      async (each) => {
        await plugin.whenRegistered(each);
        await runControllers({ controllers: [sliceController(options)], clock, log }, each);
      },
      (each) => plugin.keepPrepared(each),
    ],
    signal,
  );
}

/** Publishes the slots again whenever they are gone: the kubelet removes them when it starts, and a node may be made anew. */
function sliceController({ client, clock, random, log, metrics, node, slots }: DriverOptions) {
  const shared = { client, clock, random, log, ...(metrics ? { metrics } : {}) };
  const nodes = createReflector({
    ...shared,
    selection: { apiVersion: "v1", kind: "Node", fieldSelector: `metadata.name=${node}` },
  });
  const slices = createReflector({
    ...shared,
    selection: {
      apiVersion: resourceVersion,
      kind: "ResourceSlice",
      fieldSelector: `spec.nodeName=${node},spec.driver=${environmentDriver}`,
    },
  });
  return createController({
    ...shared,
    name: "resource-slice",
    sources: [
      { reflector: nodes, keysOf: () => [] },
      { reflector: filterChanges(nodes, essenceOfNode), keysOf: () => [node] },
      { reflector: slices, keysOf: () => [node] },
    ],
    async reconcile(_key, each) {
      const live = nodes.store.get(node);
      if (!live) return done; // what belongs to a node goes with it
      requireCdi(live);
      const wanted = nodeSlice(live, slots);
      if (offersSame(wanted, slices.store.get(sliceName(node)))) return done;
      await client.apply(wanted, { fieldManager: defaultFieldManager, force: true }, each);
      log.info("slots published", { node, slots });
      return done;
    },
  });
}

function essenceOfNode(node: KubeObject): string {
  return `${node.metadata.uid ?? ""} ${runtimeOf(node)}`;
}

function runtimeOf(node: KubeObject): string {
  return String(valueAt(node, ["status", "nodeInfo", "containerRuntimeVersion"]));
}

function requireCdi(node: KubeObject): void {
  const problem = missingCdi(runtimeOf(node));
  if (problem === undefined) return;
  throw new InputError(`the container runtime has no CDI: ${problem}`, {
    where: `Node ${node.metadata.name}`,
    next: "containers would start without their kubeconfig; update the runtime, or keep the driver off this node",
  });
}

async function requireResourceApi(client: KubeClient, signal: AbortSignal): Promise<void> {
  const served = await client.discovery.resources(signal);
  if (served.some(({ apiVersion, kind }) => apiVersion === resourceVersion && kind === "ResourceSlice")) return;
  throw new InputError(`the API server does not serve ${resourceVersion}`, {
    next: "update Kubernetes to 1.34 or newer, or use the Secret of an EphemeralClaim as a workspace",
  });
}
