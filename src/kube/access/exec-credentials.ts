import { isatty } from "node:tty";
import { type Clock, InputError } from "#base";
import { abortable } from "../transport/abortable.ts";
import type { Credentials } from "./cluster-access.ts";
import { isSameCredential } from "./credentials.ts";
import { type ExecCluster, type ExecOutcome, type ExecPlugin, runExecPlugin } from "./exec-plugin.ts";
import type { ExecEntry } from "./kubeconfig-file.ts";
import { type KubeconfigEntry, pathFrom } from "./merge-kubeconfigs.ts";

const apiVersions: readonly string[] = ["client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1"];

/** Runs the plugin when its last credential has expired or was rejected. Concurrent calls share one run. */
export function execCredentials(
  entry: KubeconfigEntry<ExecEntry>,
  where: string,
  deps: { readonly clock: Clock; readonly env: NodeJS.ProcessEnv; readonly cluster: ExecCluster },
): Credentials {
  const plugin = pluginOf(entry, where, deps);
  let last: ExecOutcome | undefined;
  let running: Promise<ExecOutcome> | undefined;

  async function start(): Promise<ExecOutcome> {
    try {
      last = await runExecPlugin(plugin, deps.clock);
      return last;
    } finally {
      running = undefined;
    }
  }
  const run = (): Promise<ExecOutcome> => (running ??= start());

  return {
    async current(signal) {
      const isFresh = last !== undefined && (last.expiresAt === undefined || deps.clock.now() < last.expiresAt);
      const { credential } = last !== undefined && isFresh ? last : await abortable(run(), signal);
      return credential;
    },
    async renew(rejected, signal) {
      if (last !== undefined && !isSameCredential(rejected, last.credential)) return true;
      const { credential } = await abortable(run(), signal);
      return !isSameCredential(rejected, credential);
    },
  };
}

function pluginOf(
  { value, file }: KubeconfigEntry<ExecEntry>,
  where: string,
  { env, cluster }: { readonly env: NodeJS.ProcessEnv; readonly cluster: ExecCluster },
): ExecPlugin {
  const { command, apiVersion = "", interactiveMode = "IfAvailable" } = value;
  if (command === undefined) throw new InputError("the exec plugin has no command", { where, next: "set `command`" });
  if (!apiVersions.includes(apiVersion)) {
    throw new InputError(`the exec plugin speaks ${JSON.stringify(apiVersion)}, which is not supported`, {
      where,
      next: `set its \`apiVersion\` to ${apiVersions.join(" or ")}; the plugin may need an update`,
    });
  }
  if (!["Never", "IfAvailable", "Always"].includes(interactiveMode)) {
    throw new InputError(`the exec plugin's interactiveMode is ${JSON.stringify(interactiveMode)}`, {
      where,
      next: "set it to Never, IfAvailable or Always",
    });
  }
  const isTerminal = isatty(0);
  if (interactiveMode === "Always" && !isTerminal) {
    throw new InputError("the exec plugin needs user input, but there is no terminal", {
      where,
      next: "run this on a terminal, or use credentials that need no input",
    });
  }
  return {
    command: /[/\\]/.test(command) ? pathFrom(file, command) : command,
    args: value.args,
    env: { ...env, ...Object.fromEntries(value.env.map(({ name, value: text }) => [name, text])) },
    apiVersion,
    installHint: value.installHint,
    cluster: value.provideClusterInfo ? cluster : undefined,
    isInteractive: interactiveMode !== "Never" && isTerminal,
    where,
  };
}
