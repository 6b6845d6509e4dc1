import { access, cp, mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { packageFile } from "#base";
import type { ClusterStatus } from "#cluster";
import { connect, createClient, loadAccess, type KubeObject } from "#kube";
import { shellWord } from "../call-again.ts";
import type { Shell } from "../shell.ts";
import { applyIntegrations } from "./apply-integrations.ts";

const fieldManager = "tenon-up";
const own = "tenon";
/** Those of the example data, without one cluster whose namespace has the same name as another. */
const namespaces = [own, "platform-dev", "platform-stage", "platform-prod", "depot"];
/** Volumes that a storage class would provision on a real cluster; the example has none. */
const volumes = [volume("tenon-world-1", "1Gi", ""), volume("tenon-world-2", "20Gi", "gp3-csi")];

type World = Pick<ClusterStatus, "dataDir" | "kubeconfig" | "context">;

/**
 * Deploys the integrations of a copy of the example data, which the user may change. An existing copy stays, and its changes
 * are applied.
 */
export async function manageWorld(world: World, shell: Shell): Promise<void> {
  const config = await copyData(world);
  const { kubeconfig, context } = world;
  await using transport = connect(await loadAccess({ kubeconfig, context, env: shell.env }));
  const client = createClient(transport);
  const objects = [...namespaces.map(namespaceCalled), ...volumes];
  await Promise.all(objects.map((object) => client.apply(object, { fieldManager }, shell.signal)));
  const nothing = { integration: [], cluster: [], imageTagFromRef: [], clusterContext: [] };
  await applyIntegrations(undefined, { ...nothing, config, yes: true, dryRun: false, output: "table" }, shell);
}

/** What the user can type next, in the folder of the copy. */
export function worldCommands({ dataDir }: World, tenon: string): [command: string, meaning: string][] {
  const members = "data/integrations/github-members.yml";
  return [
    [`cd ${shellWord(folderOf(dataDir))}`, "its data files, which you can change, and its tenon.yaml"],
    [`${tenon} get integrations`, "see what runs"],
    [`sed -i 's/shards: 2/shards: 3/' ${members}`, "change a file,"],
    [`${tenon} apply`, "see the effect, and apply it"],
    [`${tenon} run --only manage`, "or follow the files until Ctrl-C; meanwhile, in another shell:"],
    [`rm ${members}`, "delete an integration from the cluster"],
  ];
}

function folderOf(dataDir: string): string {
  return join(dataDir, "world");
}

/** Complete or not at all, because it may be interrupted. */
async function copyData({ dataDir, kubeconfig, context }: World): Promise<string> {
  const folder = folderOf(dataDir);
  const config = join(folder, "tenon.yaml");
  if (
    await access(config).then(
      () => true,
      () => false,
    )
  )
    return config;
  const draft = `${folder}.new`;
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { recursive: true });
  await cp(packageFile("examples", "data"), draft, { recursive: true });
  await writeFile(join(draft, "tenon.yaml"), configText(kubeconfig, context));
  await rename(draft, folder);
  return config;
}

function configText(kubeconfig: string, context: string): string {
  return `# Settings of \`tenon\` in this folder; docs/reference/configuration.md has all of them.
data: .
# One cluster stands for all clusters of the data,
kubeconfig: ${JSON.stringify(kubeconfig)}
context: ${context}
# except the internal ones, of which one has a namespace with the same name as another cluster.
side: external
# Tenon's own namespace: the list of managed namespaces, and Leases.
tenonNamespace: ${own}
`;
}

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
