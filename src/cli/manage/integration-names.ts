import { runTypedQuery, type TypedQuery } from "#bundle";
import { readTenonConfig } from "../control/tenon-config.ts";
import type { Shell } from "../shell.ts";
import { openData } from "./manage-settings.ts";

const names: TypedQuery<{ all: { name: string }[] }, object> = { document: "{ all: integrations_v1 { name } }" };

/** The integrations of the data that `tenon.yaml` in the working directory names, for completion. */
export async function integrationNames(shell: Shell): Promise<readonly string[]> {
  const config = await readTenonConfig(undefined);
  const data = await (await openData({ integration: [], cluster: [] }, config, shell))().load(shell.signal);
  const { all } = await runTypedQuery(data, names, {}, shell.signal);
  return all.map(({ name }) => name);
}
