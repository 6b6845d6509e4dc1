import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { AddonStartOptions } from "#addons";
import { InputError } from "#base";
import {
  clusterHome,
  type ClusterStatus,
  listClusters,
  loadImages,
  resetCluster,
  type StartedCluster,
  stopCluster,
} from "#cluster";
import { callAgain } from "../call-again.ts";
import { stopConsole } from "../console/background-console.ts";
import type { OutputFormat } from "../shared-options.ts";
import type { Shell } from "../shell.ts";
import { startWithProgress } from "./start-with-progress.ts";
import { confirm } from "../terminal/confirm.ts";
import { homePath } from "../terminal/home-path.ts";
import type { Colour } from "../terminal/paint.ts";
import { printRows } from "../terminal/print-rows.ts";

export interface InstanceChoice {
  readonly name: string;
}

export async function startInstance(options: Omit<AddonStartOptions, "home">, shell: Shell): Promise<void> {
  requireInstanceName(options.name);
  const started = await startWithProgress({ ...options, home: clusterHome(shell.env) }, shell);
  shell.stdout.write(`${describeStart(started)}\n`);
  shell.stderr.write(`  next: export KUBECONFIG=$(${commandFor("kubeconfig", options, shell)})\n`);
}

/** Two lines about a running instance, which fit 80 columns. */
export function describeStart(started: StartedCluster): string {
  const { name, kubernetes, server, fakeNodes, isNew, readyMs } = started;
  const fakes = fakeNodes === 1 ? "1 fake node" : `${fakeNodes} fake nodes`;
  const parts = [
    ...(started.node ? [started.cdi ? "a real node with CDI" : "a real node"] : []),
    ...(started.node && fakeNodes === 0 ? [] : [fakes]),
    ...(started.tekton ? [`Tekton ${started.tekton.version}`] : []),
  ];
  const story = isNew ? `ready after ${(readyMs / 1000).toFixed(1)} s` : "already running";
  return `instance ${name} is running: Kubernetes ${kubernetes} at ${server},\n${parts.join(" and ")} (${story})`;
}

export async function stopInstance({ name }: InstanceChoice, shell: Shell): Promise<void> {
  requireInstanceName(name);
  const home = clusterHome(shell.env);
  await stopConsole({ name, dataDir: join(home.data, name) }, shell.signal);
  const outcome = await stopCluster({ home, name }, shell.signal);
  shell.stdout.write(outcome === "stopped" ? `instance ${name} is stopped\n` : `instance ${name} was not running\n`);
}

const stateColours: Readonly<Record<ClusterStatus["state"], Colour | undefined>> = {
  running: undefined,
  starting: "yellow",
  stopped: undefined,
  damaged: "red",
};

export async function printInstances(format: OutputFormat, shell: Shell): Promise<void> {
  await printRows(
    {
      rows: await listClusters(clusterHome(shell.env)),
      columns: [
        { header: "name", value: ({ name }) => name, keep: "all" },
        { header: "state", value: ({ state }) => state, colour: ({ state }) => stateColours[state] },
        { header: "kubernetes", value: ({ kubernetes }) => kubernetes, keep: "all" },
        { header: "server", value: ({ server }) => server, keep: "all" },
        { header: "nodes", value: describeNodes },
        {
          header: "tekton",
          value: ({ tekton }) => (tekton && !tekton.isComplete ? "incomplete" : tekton?.version),
          colour: ({ tekton }) => (tekton && !tekton.isComplete ? "yellow" : undefined),
        },
        { header: "data", value: ({ dataDir }) => homePath(dataDir, shell.env), keep: "end", isDispensable: true },
      ],
      whenEmpty: `no instances; "${callAgain(shell.env)} cluster start" creates one`,
    },
    format,
    shell,
  );
}

/** `3 fake`, `real`, `real with CDI, 3 fake`. */
function describeNodes({ node, cdi, fakeNodes }: ClusterStatus): string {
  return [...(node ? [cdi ? "real with CDI" : "real"] : []), ...(fakeNodes > 0 ? [`${fakeNodes} fake`] : [])].join(
    ", ",
  );
}

export async function loadIntoInstance(files: readonly string[], choice: InstanceChoice, shell: Shell): Promise<void> {
  requireInstanceName(choice.name);
  const images = await loadImages({ home: clusterHome(shell.env), name: choice.name, files }, shell.signal);
  shell.stdout.write(images.map(({ name, digest }) => `${name} ${digest}\n`).join(""));
}

export async function printKubeconfig(choice: InstanceChoice, shell: Shell): Promise<void> {
  const instance = await findInstance(choice, shell);
  const start = commandFor("start", choice, shell);
  if (!instance) {
    throw new InputError(`instance ${choice.name} not found`, { next: `run "${start}"` });
  }
  if (instance.state === "stopped") shell.stderr.write(`instance ${choice.name} is stopped; "${start}" starts it\n`);
  shell.stdout.write(`${instance.kubeconfig}\n`);
}

export async function resetInstance(choice: InstanceChoice & { readonly yes: boolean }, shell: Shell): Promise<void> {
  const { name, yes } = choice;
  const home = clusterHome(shell.env);
  const instance = await findInstance(choice, shell);
  const loss = instance ? describeLoss(instance, shell) : await describeRemains(join(home.data, name));
  if (loss !== undefined && !yes && !(await confirm(loss, shell, shell.signal))) {
    throw new InputError(`instance ${name} was not deleted`);
  }
  await stopConsole({ name, dataDir: join(home.data, name) }, shell.signal);
  await resetCluster({ home, name }, shell.signal);
  shell.stdout.write(`instance ${name} is deleted\n`);
}

function describeLoss({ name, state, dataDir, kubernetes }: ClusterStatus, { env }: Shell): string {
  const stop = state === "running" || state === "starting" ? "stop it and " : "";
  const data = homePath(dataDir, env);
  return `instance ${name} (${state}, Kubernetes ${kubernetes || "unknown"}):\n${stop}delete ${data} with everything in it?`;
}

/** A first start that was killed early leaves an incomplete directory. */
async function describeRemains(dataDir: string): Promise<string | undefined> {
  return stat(dataDir).then(
    () => `delete ${dataDir} with everything in it? It is not a complete instance.`,
    () => undefined,
  );
}

export async function instanceNames(shell: Pick<Shell, "env">): Promise<string[]> {
  return (await listClusters(clusterHome(shell.env))).map(({ name }) => name);
}

async function findInstance({ name }: InstanceChoice, shell: Shell): Promise<ClusterStatus | undefined> {
  requireInstanceName(name);
  return (await listClusters(clusterHome(shell.env))).find((instance) => instance.name === name);
}

function commandFor(subcommand: string, { name }: InstanceChoice, shell: Shell): string {
  return `${callAgain(shell.env)} cluster ${subcommand}${name === "default" ? "" : ` --name ${name}`}`;
}

const longest = 40;

/** The name is part of paths, process arguments and Kubernetes names; the strictest of these rules applies. */
export function requireInstanceName(name: string): string {
  if (name.length <= longest && /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(name)) return name;
  throw new InputError(`${JSON.stringify(name)} is not a valid instance name`, {
    where: "--name",
    next: `use at most ${longest} lower-case letters, digits and "-"; start and end with a letter or digit`,
  });
}
