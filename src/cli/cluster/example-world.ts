import { execFile } from "node:child_process";
import { access, mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { describeError, InputError, packageFile } from "#base";
import { type ClusterStatus, clusterHome, listClusters, loadImages, type StartedCluster } from "#cluster";
import { connect, loadAccess, requireServerVersion } from "#kube";
import { callAgain, shellWord } from "../call-again.ts";
import { startConsole } from "../console/background-console.ts";
import { preparePages } from "../console/prepare-pages.ts";
import { coupledNamespaces, coupleWorld } from "../couple/couple-world.ts";
import {
  exampleNamespaces,
  manageFakeWorld,
  type ManagedWorld,
  manageNodeWorld,
  manageOwnWorld,
} from "../manage/manage-world.ts";
import { promoteWorld } from "../promote/promote-world.ts";
import type { ClusterChoice } from "../shared-options.ts";
import type { Shell } from "../shell.ts";
import { holdOutput } from "../terminal/hold-output.ts";
import { homePath } from "../terminal/home-path.ts";
import { alignPairs } from "../terminal/text-width.ts";
import { describeStart, stopInstance } from "./instances.ts";
import { linkPrograms } from "./link-programs.ts";
import { startWithProgress } from "./start-with-progress.ts";

const name = "default";
const fakeNodes = 2;

/**
 * Starts the embedded cluster and the example world: the integrations, plugs and sockets of a small company, and a commit that
 * becomes a running integration. An existing one keeps its nodes, and the data that the user changed.
 */
export async function startWorld({ node }: { readonly node?: true }, shell: Shell): Promise<void> {
  const home = clusterHome(shell.env);
  const known = (await listClusters(home)).find((instance) => instance.name === name);
  if (node || known?.node) await requireImageSource();
  const nodes = chooseNodes(node, known);
  const started = await startWithProgress({ home, name, ...nodes }, shell);
  shell.stdout.write(`${describeStart(started)}\n\n`);
  const { context, kubeconfig, dataDir } = started;
  const world: ManagedWorld = { folder: join(dataDir, started.node ? "node-world" : "world"), context, kubeconfig };
  const folder = await linkPrograms(shell.env);
  const [file, from, to] = started.node ? ["whereabouts", 2, 3] : ["github-members", 2, 3];
  const next = layOut([
    ...(folder === undefined
      ? []
      : [[`export PATH=${homePath(folder, shell.env)}:$PATH`, 'for "tenon" in this shell']]),
    [`cd ${homePath(world.folder, shell.env)}`, "its data files, to change"],
    [`sed -i 's/shards: ${from}/shards: ${to}/' data/integrations/${file}.yml`, ""],
    ["tenon plan", "what that changes"],
    ["export KUBECONFIG=$(tenon cluster kubeconfig)", "for kubectl"],
    ["tenon down", "stop it, and keep its data"],
  ]);
  const ending = new AbortController();
  // Beside the others, as it mostly waits. On a real node the images of the example would have to exist.
  const told = holdOutput(shell.stdout);
  const released = started.node
    ? undefined
    : promoteWorld(
        { folder: join(dataDir, "releases", "data-files"), context, kubeconfig },
        { ...shell, stdout: told, progress: undefined },
        AbortSignal.any([shell.signal, ending.signal]),
      );
  released?.catch(() => {});
  // Beside the rest, too; it is started once there are data files for it to show.
  const pages = preparePages(shell);
  pages.catch(() => {});
  try {
    if (started.node) await manageOnNode(started, world, shell);
    else await manageFakeWorld(world, shell);
    await coupleWorld(started, shell);
    told.release();
    await released;
  } finally {
    ending.abort(new Error("the rest of the example has ended"));
    await released?.catch(() => {});
    // Also after an error in the data that the user changed: the cluster runs.
    shell.stdout.write(await describeConsole(pages, started, world, shell));
    shell.stdout.write(`\nWhat to try next:\n${next}\n`);
  }
}

/** Starts the console; what it is, in two lines, or why there is none, which keeps nothing else from working. */
async function describeConsole(
  pages: Promise<unknown>,
  started: StartedCluster,
  world: ManagedWorld,
  shell: Shell,
): Promise<string> {
  try {
    await pages;
    const link = await startConsole(started, join(world.folder, "tenon.yaml"), shell);
    return `\nThe console; this link logs you in, once, within 15 min:\n  ${link}\n`;
  } catch (error) {
    if (shell.signal.aborted) return "";
    const again = `${callAgain(shell.env)} console --instance ${started.name}`;
    return `\nThe console could not be started: ${describeError(error)}\n  next: "${again}" tries again\n`;
  }
}

/** No fake nodes beside a real one: a pod that lands on a fake node only pretends to run. */
function chooseNodes(node: true | undefined, known: ClusterStatus | undefined): { node?: true; fakeNodes?: number } {
  if (node) return { node };
  if (known?.state === "running" || known?.node) return {};
  return { fakeNodes: known?.fakeNodes || fakeNodes };
}

async function manageOnNode(started: StartedCluster, world: ManagedWorld, shell: Shell): Promise<void> {
  await using draft = await mkdtempDisposable(join(tmpdir(), "tenon-image-"));
  const archive = join(draft.path, "integrations.tar");
  const words = [imageSource(), "--out", archive, "--name", "localhost/integrations:1"];
  await promisify(execFile)(process.execPath, words, { signal: shell.signal });
  const home = clusterHome(shell.env);
  await loadImages({ home, name: started.name, files: [archive] }, shell.signal);
  await manageNodeWorld(world, shell);
}

function imageSource(): string {
  return packageFile("examples", "integration", "image.ts");
}

/** The published package has no sources, which the image of the example integrations is made from. */
async function requireImageSource(): Promise<void> {
  await access(imageSource()).catch((cause: unknown) => {
    throw new InputError("the example world of a real node is made from a checkout of Tenon", {
      next: "start a real node without it: `tenon cluster start --node`",
      cause,
    });
  });
}

/** Columns that fit 80 where the commands do: a long command without a meaning does not widen them. */
function layOut(lines: readonly (readonly string[])[]): string {
  const pairs = lines.map(([command = "", meaning = ""]): [string, string] => [command, meaning]);
  const explained = alignPairs(pairs.filter(([, meaning]) => meaning !== "")).split("\n");
  return pairs.map(([command, meaning]) => (meaning === "" ? `  ${command}` : explained.shift())).join("\n");
}

/** Brings the example world to a cluster of the user's, after showing what that creates and asking. */
export async function bringWorld(choice: ClusterChoice & { readonly yes: boolean }, shell: Shell): Promise<void> {
  const cluster = await loadAccess({ ...choice, env: shell.env });
  await using transport = connect(cluster);
  const { text } = await requireServerVersion(transport, shell.signal);
  const { context } = cluster;
  const kubeconfig = choice.kubeconfig === undefined ? undefined : resolve(choice.kubeconfig);
  const folder = join(dirname(clusterHome(shell.env).data), "worlds", context.replaceAll(/[^\w.-]+/g, "-"));
  shell.stdout.write(
    `context ${context} is Kubernetes ${text} at ${cluster.server.origin}

Beside the plan below, the example creates the kinds Plug and Socket, and the
namespaces ${coupledNamespaces.join(", ")}.
The images of its integrations do not exist: on nodes that run containers, their
pods do not start.

`,
  );
  await manageOwnWorld({ folder, context, kubeconfig }, choice.yes, shell);
  await coupleWorld({ context, ...(kubeconfig === undefined ? {} : { kubeconfig }) }, shell);
  const programs = await linkPrograms(shell.env);
  const flags = `${kubeconfig === undefined ? "" : ` --kubeconfig ${shellWord(kubeconfig)}`} --context ${shellWord(context)}`;
  const next = layOut([
    ...(programs === undefined
      ? []
      : [[`export PATH=${homePath(programs, shell.env)}:$PATH`, 'for "tenon" in this shell']]),
    [`cd ${homePath(folder, shell.env)}`, "its data files, to change"],
    ["tenon get integrations", "what runs, and what does not"],
    [`sed -i 's/shards: 2/shards: 3/' data/integrations/github-members.yml`, ""],
    ["tenon plan", "what that changes"],
    [`kubectl${flags} delete namespace ${[...exampleNamespaces, ...coupledNamespaces].join(" ")}`, ""],
  ]);
  shell.stdout.write(`\nWhat to try next, and at last how to delete it all:\n${next}\n`);
}

export async function stopWorld(shell: Shell): Promise<void> {
  await stopInstance({ name }, shell);
  const known = (await listClusters(clusterHome(shell.env))).find((instance) => instance.name === name);
  if (!known) return;
  const data = homePath(known.dataDir, shell.env);
  shell.stdout.write(`its data is kept in ${data};\n"${callAgain(shell.env)} cluster reset" deletes it\n`);
}
