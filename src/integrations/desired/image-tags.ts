import { tmpdir } from "node:os";
import { describeError, InputError, type JsonObject } from "#base";
import { runTypedQuery, type TypedQuery } from "#bundle";
import { explainGitError, parseGitLocation, refNotFound, runGit } from "#git";
import type { EnvironmentData } from "../data/integration.ts";
import type { ManagerData } from "../data/read-integrations.ts";
import type { DesiredOptions } from "./desired.ts";
import { type ParameterGiver, type ParameterValue, refOfUpstream } from "./resolve-parameters.ts";
import { defaultHashLength } from "../manager-defaults.ts";

/** The image tag of an environment, if a ref is chosen for it, or why there is none. */
type ImageTags = ReadonlyMap<EnvironmentData, ParameterValue | Error>;

/** Turns the refs that environments or the command line choose into tags. Environments without a ref are not in the answer. */
export async function resolveImageTags(
  queryable: ManagerData,
  environments: Iterable<EnvironmentData>,
  upstream: string,
  options: Pick<DesiredOptions, "imageTagFromRef" | "imageTagFrom" | "hashLength" | "resolveRef">,
  signal: AbortSignal,
): Promise<ImageTags> {
  const wanted = [...new Set(environments)].flatMap((environment) => {
    const chosen = options.imageTagFromRef?.get(environment.name);
    const ref = chosen ?? refOfUpstream(environment, upstream);
    if (ref === undefined) return [];
    const giver = chosen === undefined ? upstreamRepositories : (options.imageTagFrom ?? commandLine);
    return [{ environment, ref, giver }];
  });
  if (wanted.length === 0) return new Map();
  const hashLength = options.hashLength ?? (await readHashLength(queryable, signal));
  return new Map<EnvironmentData, ParameterValue | Error>(
    await Promise.all(
      wanted.map(async ({ environment, ref, giver }) => {
        try {
          const commit = await options.resolveRef(upstream, ref, signal);
          const { source, detail: by } = giver;
          const detail = `${by === undefined ? "" : `${by}, `}${ref} of ${upstream}`;
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

const upstreamRepositories: ParameterGiver = { source: "upstream repositories" };
const commandLine: ParameterGiver = { source: "command line" };

const settingsQuery: TypedQuery<
  { readonly settings: readonly { readonly hashLength: number | null }[] | null },
  JsonObject
> = { document: "query Settings { settings: app_interface_settings_v1 { hashLength } }" };

async function readHashLength(queryable: ManagerData, signal: AbortSignal): Promise<number> {
  const { settings } = await runTypedQuery(queryable, settingsQuery, {}, signal);
  return settings?.[0]?.hashLength ?? defaultHashLength;
}

/** The commit that a ref of a repository means, whole. */
export type ResolveRef = (repository: string, ref: string, signal: AbortSignal) => Promise<string>;

const wholeCommit = /^([0-9a-f]{40}|[0-9a-f]{64})$/;
const shortCommit = /^[0-9a-f]{7,64}$/;

/** Asks repositories, on any forge, for what their branches and tags mean: each once, so make one of these for each run. */
export function createRefResolver(): ResolveRef {
  const known = new Map<string, Promise<string>>();
  return (repository, ref, signal) => {
    const key = `${repository} ${ref}`;
    const asked = known.get(key) ?? askRepository(repository, ref, signal);
    known.set(key, asked);
    return asked;
  };
}

async function askRepository(written: string, writtenRef: string, signal: AbortSignal): Promise<string> {
  const { repository, ref } = parseGitLocation(`${written}#${writtenRef}`);
  if (wholeCommit.test(ref)) return ref;
  const refs = await listRemoteRefs(repository, signal);
  // A tag that is an object of its own is listed twice, the second time by its commit.
  const names = [ref, `refs/heads/${ref}`, `refs/tags/${ref}^{}`, `refs/tags/${ref}`];
  const found = names.map((name) => refs.get(name)).find((commit) => commit !== undefined);
  if (found !== undefined) return found;
  if (shortCommit.test(ref)) return ref;
  const offered = [...refs.keys()].flatMap((name) => /^refs\/(?:heads|tags)\/(.+?)(?<!\^\{\})$/.exec(name)?.[1] ?? []);
  throw refNotFound(repository, ref, offered);
}

async function listRemoteRefs(repository: string, signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
  const args = ["ls-remote", "--quiet", "--end-of-options", repository];
  const output = await runGit(args, { directory: tmpdir() }, signal).catch((error: unknown) => {
    throw explainGitError(error, { repository });
  });
  return new Map(
    [...output.toString().matchAll(/^([0-9a-f]+)\t(.+)$/gm)].map(([, commit = "", name = ""]) => [name, commit]),
  );
}

/** Reads `ENVIRONMENT=REF`, once for each environment. */
export function parseImageTagFromRef(words: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    words.map((word) => {
      const [environment = "", ref = "", ...more] = word.split("=");
      if (environment !== "" && ref !== "" && more.length === 0) return [environment, ref];
      throw new InputError(`expected ENVIRONMENT=REF, got ${JSON.stringify(word)}`, {
        where: "--image-tag-from-ref",
        next: "write it like stage=main",
      });
    }),
  );
}
