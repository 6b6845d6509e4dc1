import { describeError } from "#base";
import { runTypedQuery } from "#bundle";
import type { EnvironmentData } from "../data/integration.ts";
import { settingsQuery } from "../data/integration-queries.ts";
import type { ManagerData } from "../data/read-integrations.ts";
import type { ParameterValue } from "../parameters/parameter-trail.ts";
import { refOfUpstream } from "../parameters/resolve-parameters.ts";
import type { DesireOptions } from "./desire-options.ts";

const usualLength = 7;

/** The image tag of an environment, if a ref is chosen for it, or why there is none. */
export type ImageTags = ReadonlyMap<EnvironmentData, ParameterValue | Error>;

/** Turns the refs that environments or the command line choose into tags. Who chooses none is not in the answer. */
export async function resolveImageTags(
  queryable: ManagerData,
  environments: Iterable<EnvironmentData>,
  upstream: string,
  options: Pick<DesireOptions, "imageTagFromRef" | "hashLength" | "resolveRef">,
  signal: AbortSignal,
): Promise<ImageTags> {
  const wanted = [...new Set(environments)].flatMap((environment) => {
    const chosen = options.imageTagFromRef?.get(environment.name);
    const ref = chosen ?? refOfUpstream(environment, upstream);
    if (ref === undefined) return [];
    const source = chosen === undefined ? ("upstream repositories" as const) : ("command line" as const);
    return [{ environment, ref, source }];
  });
  if (wanted.length === 0) return new Map();
  const hashLength = options.hashLength ?? (await readHashLength(queryable, signal));
  return new Map<EnvironmentData, ParameterValue | Error>(
    await Promise.all(
      wanted.map(async ({ environment, ref, source }) => {
        try {
          const commit = await options.resolveRef(upstream, ref, signal);
          const detail = `${ref} of ${upstream}`;
          return [environment, { value: commit.slice(0, hashLength), source, detail }] as const;
        } catch (error) {
          signal.throwIfAborted();
          const what = `the image tag for environment ${environment.name} cannot be found: ${describeError(error)}`;
          return [environment, new Error(what, { cause: error })] as const;
        }
      }),
    ),
  );
}

async function readHashLength(queryable: ManagerData, signal: AbortSignal): Promise<number> {
  const { settings } = await runTypedQuery(queryable, settingsQuery, {}, signal);
  return settings?.[0]?.hashLength ?? usualLength;
}
