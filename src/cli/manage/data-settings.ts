import { InputError, packageFile } from "#base";
import { openQueryableSource, type QueryableSource } from "#bundle";
import { createRefResolver, type DesireOptions, parseImageTagFromRef, readManagerEnvironment } from "#integrations";
import { loadChart } from "#template";
import type { TenonConfig } from "../control/tenon-config.ts";
import { readToken } from "../data-token.ts";
import type { Shell } from "../shell.ts";
import type { DataChoice, RenderingChoice } from "./manage-options.ts";

/** The data that was chosen; a function, because a plan may compare it with other data. */
export async function openData(
  choice: DataChoice,
  config: TenonConfig,
  shell: Shell,
): Promise<(location?: string) => QueryableSource> {
  const token = await readToken(choice.tokenFile, shell.env);
  const schemas = choice.schemas ?? config.schemas;
  const options = {
    env: shell.env,
    ...(schemas === undefined ? {} : { schemas }),
    ...(token === undefined ? {} : { token }),
  };
  return (location = choice.data ?? config.data) => {
    if (location !== undefined) return openQueryableSource(location, options);
    throw new InputError("there is no data", {
      next: "name a directory, bundle file, REPOSITORY#REF or server with --data, or as `data` in tenon.yaml",
    });
  };
}

/** Which part of the data, in the order of who counts: options, qontract-reconcile's variables, `tenon.yaml`. */
export function selectionOf(
  choice: DataChoice,
  config: TenonConfig,
  { env }: Shell,
): Pick<DesireOptions, "environment" | "upstream" | "integration" | "cluster"> {
  const said = readManagerEnvironment(env);
  return {
    environment: choice.environment ?? said.environment ?? config.environment,
    upstream: choice.upstream ?? said.upstream ?? config.upstream,
    integration: someOf(choice.integration) ?? someOf(config.only?.integrations),
    cluster: someOf(choice.cluster) ?? someOf(config.only?.clusters),
  };
}

/** What a run renders, made anew for each: refs are asked for once a run. The chart is loaded once. */
export function rendering(
  choice: DataChoice & RenderingChoice,
  config: TenonConfig,
  shell: Shell,
): () => DesireOptions {
  const said = readManagerEnvironment(shell.env);
  const refs = someOf(choice.imageTagFromRef) ?? someOf(said.imageTagFromRef);
  const options = {
    ...selectionOf(choice, config, shell),
    chart: loadChart(choice.chart ?? config.chart ?? packageFile("charts", "integrations")),
    image: choice.image ?? said.image ?? config.image,
    imageTagFromRef: refs ? parseImageTagFromRef(refs) : new Map(Object.entries(config.imageTagFromRef ?? {})),
    processEnv: shell.env,
  };
  return () => ({ ...options, resolveRef: createRefResolver() });
}

/** A list that is empty says nothing. */
export function someOf(list: readonly string[] | undefined): readonly string[] | undefined {
  return list && list.length > 0 ? list : undefined;
}
