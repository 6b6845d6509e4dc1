import { access, cp, mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { packageFile } from "#base";
import { openBundleSource, writeBundle } from "#bundle";
import { connect, createClient, type KubeObject, loadAccess } from "#kube";
import { readManifests } from "../couple/read-manifests.ts";
import type { Shell } from "../shell.ts";
import { withLiveLine } from "../terminal/live-line.ts";
import { applyIntegrations } from "./apply-integrations.ts";
import { awaitIntegrations } from "./await-integrations.ts";

/** A folder with a copy of example data, and the cluster that it is deployed to. */
export interface ManagedWorld {
  readonly folder: string;
  readonly context: string;
  readonly kubeconfig?: string | undefined;
}

const fieldManager = "tenon-up";
const own = "tenon";
/** Those of the example data, without one cluster whose namespace has the same name as another. */
export const exampleNamespaces = ["platform-dev", "platform-stage", "platform-prod", "depot"];
/** Volumes that a storage class would provision on a real cluster; fake nodes have none. */
const volumes = [volume("tenon-world-1", "1Gi", ""), volume("tenon-world-2", "20Gi", "gp3-csi")];
const nothing = { integration: [], cluster: [], imageTagFromRef: [], clusterContext: [] };

/**
 * Deploys the integrations of a copy of examples/data to fake nodes. The user may change the copy; an existing one stays, and
 * its changes are applied.
 */
export async function manageFakeWorld(world: ManagedWorld, shell: Shell): Promise<void> {
  const config = await copyExample("data", world, `${externalOnly}${ownNamespace}`);
  await applyObjects([...[own, ...exampleNamespaces].map(namespaceCalled), ...volumes], world, shell);
  await deploy(config, shell);
}

/** Deploys the integrations of examples/node, whose image is on the node, and waits for their pods. */
export async function manageNodeWorld(world: ManagedWorld, shell: Shell): Promise<void> {
  const config = await copyExample("node", world, ownNamespace);
  const manifests = await readManifests(join(world.folder, "world.yaml"), "default", shell);
  await applyObjects(
    manifests.map(({ object }) => object),
    world,
    shell,
  );
  await applyObjects([await bundleSecret(world, shell)], world, shell);
  await deploy(config, shell);
}

/** Shows the plan of a copy of examples/data for a cluster of the user's, asks, and applies it with its namespaces. */
export async function manageOwnWorld(world: ManagedWorld, yes: boolean, shell: Shell): Promise<void> {
  const config = await copyExample("data", world, `${externalOnly}${ownState}`);
  await applyIntegrations(undefined, { ...nothing, config, yes, dryRun: false, output: "table" }, shell);
}

/** A copy of `examples/promotion`, a git repository whose files a Propagation changes; `prepare` gets it before it is complete. */
export async function copyReleaseData(world: ManagedWorld, prepare: (draft: string) => Promise<void>): Promise<string> {
  return await copyExample("promotion", world, "tenonNamespace: parcels-release\n", prepare);
}

/** Applies the data of a copy, and waits for its pods. */
export async function deploy(config: string, shell: Shell): Promise<void> {
  await applyIntegrations(undefined, { ...nothing, config, yes: true, dryRun: false, output: "table" }, shell);
  using live = withLiveLine(shell, "waiting for pods");
  await awaitIntegrations({ ...nothing, config }, live);
}

/** In their order: objects are in namespaces that come first. */
async function applyObjects(objects: readonly KubeObject[], world: ManagedWorld, shell: Shell): Promise<void> {
  const { context, kubeconfig } = world;
  await using transport = connect(await loadAccess({ kubeconfig, context, env: shell.env }));
  const client = createClient(transport);
  for (const object of objects) await client.apply(object, { fieldManager, force: true }, shell.signal);
}

/** The data as the pods read it: the chart mounts this Secret at /config. */
async function bundleSecret({ folder }: ManagedWorld, shell: Shell): Promise<KubeObject> {
  const bundle = writeBundle(await openBundleSource(folder, { env: shell.env }).load(shell.signal));
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "qontract-reconcile-toml", namespace: "tools" },
    stringData: { "bundle.json": bundle },
  };
}

/** Complete or not at all, because it may be interrupted. */
async function copyExample(
  example: string,
  { folder, kubeconfig, context }: ManagedWorld,
  settings: string,
  prepare: (draft: string) => Promise<void> = async () => {},
): Promise<string> {
  const config = join(folder, "tenon.yaml");
  const isThere = await access(config).then(
    () => true,
    () => false,
  );
  if (isThere) return config;
  const draft = `${folder}.new`;
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { recursive: true });
  await cp(packageFile("examples", example), draft, { recursive: true });
  const cluster = [
    ...(kubeconfig === undefined ? [] : [`kubeconfig: ${JSON.stringify(kubeconfig)}`]),
    `context: ${JSON.stringify(context)}`,
  ];
  await writeFile(
    join(draft, "tenon.yaml"),
    `# Settings of \`tenon\` in this folder; docs/reference/configuration.md has all of them.
data: .
# One cluster stands for all clusters of the data.
${cluster.join("\n")}
${settings}`,
  );
  await prepare(draft);
  await rename(draft, folder);
  return config;
}

const ownNamespace = `# Tenon's own namespace: the list of managed namespaces, and Leases.
tenonNamespace: ${own}
`;
const externalOnly = `# Not the internal clusters, of which one has a namespace with the same name as another cluster.
side: external
`;
const ownState = `# Tenon keeps nothing of its own on your cluster.
stateFile: state.json
createNamespaces: true
`;

function namespaceCalled(name: string): KubeObject {
  return { apiVersion: "v1", kind: "Namespace", metadata: { name } };
}

function volume(name: string, storage: string, storageClassName: string): KubeObject {
  return {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name },
    spec: {
      capacity: { storage },
      accessModes: ["ReadWriteOnce"],
      storageClassName,
      hostPath: { path: `/tmp/${name}` },
    },
  };
}
