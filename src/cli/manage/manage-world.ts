import { access, cp, mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { packageFile } from "#base";
import type { ClusterStatus } from "#cluster";
import { connect, createClient, loadAccess, type KubeObject } from "#kube";
import { shellWord } from "../call-again.ts";
import type { Shell } from "../shell.ts";
import { runApply } from "./apply-run.ts";

const fieldManager = "tenon-up";
const own = "tenon";
/** Those of the example data, but for one cluster that is left out: it has a namespace of the same name as another. */
const namespaces = [own, "platform-dev", "platform-stage", "platform-prod", "depot"];
/** What a storage class would make on a real cluster; fake nodes have none. */
const volumes = [volume("tenon-world-1", "1Gi", ""), volume("tenon-world-2", "20Gi", "gp3-csi")];

type World = Pick<ClusterStatus, "dataDir" | "kubeconfig" | "context">;

/**
 * Runs the integrations of the example data: a copy of it, in which the user may change what they like. Where it is already,
 * it stays, and what the user changed is applied.
 */
export async function manageWorld(world: World, shell: Shell): Promise<void> {
  const config = await copyData(world);
  const { kubeconfig, context } = world;
  await using transport = connect(await loadAccess({ kubeconfig, context, env: shell.env }));
  const client = createClient(transport);
  const objects = [...namespaces.map(namespaceCalled), ...volumes];
  await Promise.all(objects.map((object) => client.apply(object, { fieldManager }, shell.signal)));
  const nothing = { integration: [], cluster: [], imageTagFromRef: [], clusterContext: [] };
  await runApply(undefined, { ...nothing, config, yes: true, dryRun: false, output: "table" }, shell);
}

/** What the user may type next, in the folder of the copy. */
export function worldCommands({ dataDir }: World, tenon: string): [command: string, meaning: string][] {
  const members = "data/integrations/github-members.yml";
  return [
    [`cd ${shellWord(folderOf(dataDir))}`, "its data files, yours to change, and its tenon.yaml"],
    [`${tenon} get integrations`, "see what runs"],
    [`sed -i 's/shards: 2/shards: 3/' ${members}`, "change a file,"],
    [`${tenon} apply`, "see what that means, and do it"],
    [`${tenon} run --only manage`, "or let it follow the files until Ctrl-C; meanwhile, elsewhere:"],
    [`rm ${members}`, "what is gone there goes from the cluster"],
  ];
}

function folderOf(dataDir: string): string {
  return join(dataDir, "world");
}

/** All of it or nothing: it may be interrupted. */
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
# All clusters of the data are this one,
kubeconfig: ${JSON.stringify(kubeconfig)}
context: ${context}
# but those that are internal: one of these has a namespace of the same name as another cluster.
side: external
# Tenon's own namespace: which namespaces it manages, and who leads.
namespace: ${own}
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
