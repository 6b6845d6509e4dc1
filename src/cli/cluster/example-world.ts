import { access, constants } from "node:fs/promises";
import { join, resolve } from "node:path";
import { type ClusterStatus, clusterHome, inspectBinary, listClusters } from "#cluster";
import { connect, loadAccess, requireServerVersion } from "#kube";
import { callAgain, shellWord } from "../call-again.ts";
import type { ClusterChoice } from "../shared-options.ts";
import { coupleWorld } from "../couple/couple-world.ts";
import { describeStart, stopInstance } from "./instances.ts";
import { manageWorld, worldCommands } from "../manage/manage-world.ts";
import type { Shell } from "../shell.ts";
import { startWithProgress } from "./start-with-progress.ts";
import { alignPairs } from "../terminal/text-width.ts";

const name = "default";
const fakeNodes = 2;

/**
 * Starts the embedded cluster and the example world: the integrations, plugs and sockets of a small company. An existing one
 * keeps its nodes, and the data that the user changed.
 */
export async function startWorld({ node }: { readonly node?: true }, shell: Shell): Promise<void> {
  const home = clusterHome(shell.env);
  const known = (await listClusters(home)).find((instance) => instance.name === name);
  const nodes = chooseNodes(node, known);
  const started = await startWithProgress({ home, name, ...nodes }, shell);
  const called = callAgain(shell.env);
  // The next commands are typed in another folder.
  const tenon = called.startsWith(".") ? shellWord(resolve(called)) : called;
  const kubectl = (await isOnPath("kubectl", shell.env)) ? "kubectl" : shellWord((await inspectBinary(home)).kubectl);
  shell.stdout.write(`${describeStart(started)}\n\n`);
  const next = alignPairs([
    [`export KUBECONFIG=$(${tenon} cluster kubeconfig)`, "use it in this shell"],
    [`${kubectl} get nodes`, "see its nodes"],
    [`${tenon} cluster status`, "see what runs on this machine"],
    ...worldCommands(started, tenon),
    [`${tenon} graph`, "see which plugs are coupled to which sockets"],
    [`${tenon} run --only couple`, "couple plugs and sockets until Ctrl-C"],
    [`${tenon} down`, "stop it and keep its data"],
  ]);
  try {
    await manageWorld(started, shell);
    await coupleWorld(started, shell);
  } finally {
    // Also after an error in the data that the user changed: the cluster runs.
    shell.stdout.write(`\nWhat to try next:\n${next}\n`);
  }
}

/** No fake nodes beside a real one: a pod that lands on a fake node only pretends to run. */
function chooseNodes(node: true | undefined, known: ClusterStatus | undefined): { node?: true; fakeNodes?: number } {
  if (node) return { node };
  if (known?.state === "running" || known?.node) return {};
  return { fakeNodes: known?.fakeNodes || fakeNodes };
}

/** Checks that the user's cluster responds and is new enough; changes nothing. */
export async function checkOwnCluster(choice: ClusterChoice, shell: Shell): Promise<void> {
  const cluster = await loadAccess({ ...choice, env: shell.env });
  await using transport = connect(cluster);
  const { text } = await requireServerVersion(transport, shell.signal);
  const flags = choice.kubeconfig === undefined ? "" : ` --kubeconfig ${shellWord(choice.kubeconfig)}`;
  const context = `${flags} --context ${shellWord(cluster.context)}`;
  const next = alignPairs([
    [`kubectl${context} get nodes`, "see its nodes"],
    [
      `${callAgain(shell.env)} plan${context} --data examples/data --environment dev`,
      "see what would be deployed there",
    ],
  ]);
  shell.stdout.write(
    `context ${cluster.context} is Kubernetes ${text} at ${cluster.server.origin}\n\nWhat to try next:\n${next}\n`,
  );
}

export async function stopWorld(shell: Shell): Promise<void> {
  await stopInstance({ name }, shell);
  const known = (await listClusters(clusterHome(shell.env))).find((instance) => instance.name === name);
  if (!known) return;
  const tenon = callAgain(shell.env);
  shell.stdout.write(`its data is kept in ${known.dataDir}; "${tenon} cluster reset" deletes it\n`);
}

async function isOnPath(program: string, env: Shell["env"]): Promise<boolean> {
  const candidates = (env["PATH"] ?? "").split(":").map((directory) => join(directory || ".", program));
  const checks = await Promise.allSettled(candidates.map((path) => access(path, constants.X_OK)));
  return checks.some(({ status }) => status === "fulfilled");
}
