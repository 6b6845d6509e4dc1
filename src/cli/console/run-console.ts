import { once } from "node:events";
import { createLogger, InputError } from "#base";
import { loadAccess } from "#kube";
import { nameCluster } from "../cluster/name-cluster.ts";
import { readableLog } from "../control/readable-log.ts";
import { readTenonConfig } from "../control/tenon-config.ts";
import type { PlanningChoice } from "../manage/prepare-plan.ts";
import type { Shell } from "../shell.ts";
import { openConsoleData } from "./open-console-data.ts";
import { type ConsoleSettings, openConsole } from "./open-console.ts";

export interface ConsoleChoice extends PlanningChoice, Omit<ConsoleSettings, "oidc"> {
  readonly oidcIssuer?: string;
  readonly oidcClientId?: string;
  readonly oidcScopes?: readonly string[];
}

/** Serves the console until interrupted. */
export async function runConsole(choice: ConsoleChoice, shell: Shell): Promise<void> {
  const config = await readTenonConfig(choice.config);
  const access = await loadAccess({ ...(await nameCluster(choice, config, shell)), env: shell.env });
  const log = createLogger({ destination: shell.stderr.isTTY ? readableLog(shell) : shell.stderr });
  await using opened = await openConsoleData(choice, config, access, shell);
  await using _ = await openConsole(settingsOf(choice, config.console ?? {}), access, log, shell, opened?.data);
  if (!shell.signal.aborted) await once(shell.signal, "abort");
  throw shell.signal.reason;
}

/** Options count before `tenon.yaml`. */
function settingsOf(choice: ConsoleChoice, config: ConsoleSettings): ConsoleSettings {
  const { host, port, publicUrl, readOnly, writable, oidcIssuer, oidcClientId, oidcScopes } = choice;
  const given = { host, port, publicUrl, readOnly, writable };
  const issuer = oidcIssuer ?? config.oidc?.issuer;
  const clientId = oidcClientId ?? config.oidc?.clientId;
  if ((issuer === undefined) !== (clientId === undefined)) {
    const where = issuer === undefined ? "--oidc-issuer" : "--oidc-client-id";
    throw new InputError("an identity provider needs an issuer and a client id", { where, next: "give both" });
  }
  const scopes = oidcScopes ? { scopes: [...oidcScopes] } : {};
  return {
    ...config,
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
    ...(issuer === undefined || clientId === undefined
      ? {}
      : { oidc: { ...config.oidc, issuer, clientId, ...scopes } }),
  };
}
