import { InputError } from "#base";
import { type ClusterStatus, clusterHome, listClusters } from "#cluster";
import { loadAccess } from "#kube";
import { callAgain, shellWord } from "../call-again.ts";
import type { TenonConfig } from "../control/tenon-config.ts";
import type { ClusterChoice } from "../shared-options.ts";
import type { Shell } from "../shell.ts";
import { askForOne } from "../terminal/ask-for-one.ts";
import { canAsk } from "../terminal/interactivity.ts";
import { requireInstanceName } from "./instances.ts";

type ClusterSettings = Pick<TenonConfig, "context" | "kubeconfig" | "instance">;

/** A cluster by its context and kubeconfig; what is absent is as kubectl has it. */
export interface NamedCluster {
  readonly context?: string | undefined;
  readonly kubeconfig?: string | undefined;
}

/** The choice with the context and kubeconfig of the instance that `--instance` names, or `tenon.yaml` if no option names a cluster. */
export async function withInstance<Choice extends ClusterChoice>(
  choice: Choice,
  config: ClusterSettings,
  shell: Pick<Shell, "env">,
): Promise<Choice> {
  const isNamed = choice.context !== undefined || choice.kubeconfig !== undefined;
  const name = choice.instance ?? (isNamed ? undefined : config.instance);
  if (name === undefined) return choice;
  requireInstanceName(name);
  const instances = await listClusters(clusterHome(shell.env));
  const instance = instances.find((one) => one.name === name);
  const flag = name === "default" ? "" : ` --name ${name}`;
  const start = `start it with "${callAgain(shell.env)} cluster start${flag}"`;
  if (!instance) {
    const names = instances.map((one) => one.name).join(", ");
    throw new InputError(`instance ${name} not found`, {
      where: "--instance",
      next: names === "" ? start : `${start}, or name one of: ${names}`,
    });
  }
  if (instance.state !== "running") {
    throw new InputError(`instance ${name} is ${instance.state}`, { where: "--instance", next: start });
  }
  return { ...choice, context: instance.context, kubeconfig: instance.kubeconfig };
}

/**
 * The cluster that an option, `tenon.yaml`, KUBECONFIG or the pod names. Only if none of these does, it is the one of
 * ~/.kube/config, as for kubectl; but while an instance runs on this machine, either could be meant, and a wrong guess would
 * change the wrong cluster. So then the user is asked, and without a terminal the command is refused.
 */
export async function nameCluster(
  choice: ClusterChoice,
  config: ClusterSettings,
  shell: Pick<Shell, "env" | "stdin" | "stderr" | "signal" | "words">,
): Promise<NamedCluster> {
  const chosen = await withInstance(choice, config, shell);
  const { context = config.context, kubeconfig = config.kubeconfig } = chosen;
  const { env } = shell;
  if (context !== undefined || kubeconfig !== undefined || env["KUBECONFIG"]) return { context, kubeconfig };
  const running = (await listClusters(clusterHome(env))).filter(({ state }) => state === "running");
  if (running.length === 0) return {};
  const own = await loadAccess({ env }).catch((error: unknown) => {
    if (error instanceof InputError) return undefined;
    throw error;
  });
  // In a pod, or where ~/.kube/config means the instance anyway, there is nothing to mix up.
  if (own && (own.context === "in-cluster" || running.some(({ server }) => server === own.server.origin))) return {};
  const meant: readonly MeantCluster[] = [
    ...running.map((instance) => ({
      flag: `--instance ${instance.name}`,
      text: describeInstance(instance),
      cluster: { context: instance.context, kubeconfig: instance.kubeconfig },
    })),
    ...(own
      ? [
          {
            flag: `--context ${shellWord(own.context)}`,
            text: `context ${own.context} of ${own.source}: ${own.server.origin}`,
            cluster: { context: own.context },
          },
        ]
      : []),
  ];
  const [only, ...others] = meant;
  if (only && others.length === 0) return only.cluster;
  if (canAsk(shell)) {
    const question = "no option names a cluster, and an instance runs on this machine; which one is meant?";
    const at = await askForOne(
      question,
      meant.map(({ text }) => text),
      shell,
      shell.signal,
    );
    return meant[at]?.cluster ?? {};
  }
  throw ambiguous(meant, shell);
}

interface MeantCluster {
  readonly flag: string;
  readonly text: string;
  readonly cluster: NamedCluster;
}

function describeInstance({ name, kubernetes, server }: ClusterStatus): string {
  return `instance ${name} of this machine: Kubernetes ${kubernetes} at ${server}`;
}

function ambiguous(meant: readonly MeantCluster[], { env, words }: Pick<Shell, "env" | "words">): InputError {
  const line = words === undefined ? "" : `${[callAgain(env), ...words.map(shellWord)].join(" ")} `;
  const commands = meant.map(({ flag, text }) => `    ${line}${flag}    # ${text}`);
  return new InputError("no option names a cluster, and several could be meant", {
    next: `name one of them:\n${commands.join("\n")}`,
  });
}
