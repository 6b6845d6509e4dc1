import { createLogger, InputError, systemClock } from "#base";
import { runDriver } from "#promotion";
import { openHomeCluster, serverOfPods } from "../control/home-cluster.ts";
import { readableLog } from "../control/readable-log.ts";
import { readTenonConfig } from "../control/tenon-config.ts";
import type { ClusterChoice } from "../shared-options.ts";
import type { Shell } from "../shell.ts";

export interface DriverChoice extends ClusterChoice {
  readonly nodeName?: string;
  readonly slots: number;
  readonly kubeletDir: string;
  readonly cdiDir: string;
}

/** `tenon dra-driver` */
export async function runDraDriver(choice: DriverChoice, shell: Shell): Promise<void> {
  const { slots, kubeletDir: kubeletDirectory, cdiDir: cdiDirectory } = choice;
  const node = choice.nodeName ?? shell.env["NODE_NAME"];
  if (!node) throw new InputError("no node is named", { where: "--node-name", next: "name it, or set NODE_NAME" });
  const config = await readTenonConfig(undefined);
  const log = createLogger({ destination: shell.stderr.isTTY ? readableLog(shell) : shell.stderr });
  await using home = await openHomeCluster(choice, config, shell);
  await runDriver(
    {
      client: home.client,
      clock: systemClock,
      random: Math.random,
      log,
      node,
      slots,
      kubeletDirectory,
      cdiDirectory,
      server: serverOfPods(home),
      certificateAuthority: home.certificateAuthority,
    },
    shell.signal,
  );
}
