import { once } from "node:events";
import { createLogger } from "#base";
import { loadAccess } from "#kube";
import { nameCluster } from "../cluster/name-cluster.ts";
import { readableLog } from "../control/readable-log.ts";
import { readTenonConfig } from "../control/tenon-config.ts";
import type { ClusterChoice } from "../shared-options.ts";
import type { Shell } from "../shell.ts";
import { type ConsoleSettings, openConsole } from "./open-console.ts";

export interface ConsoleChoice extends ClusterChoice, ConsoleSettings {}

/** Serves the console until interrupted. */
export async function runConsole(choice: ConsoleChoice, shell: Shell): Promise<void> {
  const { instance: _i, context: _c, kubeconfig: _k, ...settings } = choice;
  const config = await readTenonConfig(undefined);
  const access = await loadAccess({ ...(await nameCluster(choice, config, shell)), env: shell.env });
  const log = createLogger({ destination: shell.stderr.isTTY ? readableLog(shell) : shell.stderr });
  await using _ = await openConsole({ ...config.console, ...settings }, access, log, shell);
  if (!shell.signal.aborted) await once(shell.signal, "abort");
  throw shell.signal.reason;
}
