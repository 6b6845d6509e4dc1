import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { type Clock, InputError, systemClock } from "#base";
import type { ClusterAccess } from "./cluster-access.ts";
import { inClusterAccess, isInCluster } from "./in-cluster.ts";
import type { MergedKubeconfig } from "./merge-kubeconfigs.ts";

export interface AccessOptions {
  /** The file of `--kubeconfig`. */
  readonly kubeconfig?: string | undefined;
  /** The context of `--context`; default: the current one. */
  readonly context?: string | undefined;
  readonly env?: NodeJS.ProcessEnv;
  readonly clock?: Clock;
  /** Where Kubernetes mounts a pod's service account. */
  readonly serviceAccountFolder?: string;
}

/**
 * How to reach the user's cluster: by the given file, else the files in KUBECONFIG, else ~/.kube/config, else, in a pod, with
 * its service account. Sends no request; mistakes in the files are InputErrors.
 */
export async function loadAccess(options: AccessOptions = {}): Promise<ClusterAccess> {
  const { env = process.env, clock = systemClock } = options;
  const found = await readFiles(kubeconfigFiles(options.kubeconfig, env));
  if (found !== undefined) return fromFiles(found, options.context, { env, clock });
  if (options.context === undefined && isInCluster(env)) {
    const folder = options.serviceAccountFolder ?? "/var/run/secrets/kubernetes.io/serviceaccount";
    return inClusterAccess({ env, folder, clock });
  }
  throw new InputError("no kubeconfig found", {
    where: homeFile(env),
    next: "name one with --kubeconfig or in KUBECONFIG, or start a cluster with `tenon cluster start`",
  });
}

/** The names of all contexts, for shell completion. */
export async function listContexts({ kubeconfig, env = process.env }: AccessOptions = {}): Promise<string[]> {
  const found = await readFiles(kubeconfigFiles(kubeconfig, env));
  return found === undefined ? [] : [...(await mergeFiles(found)).contexts.keys()];
}

interface Content {
  readonly file: string;
  readonly content: string;
}

interface KubeconfigFiles {
  readonly files: readonly string[];
  /** Where the files were named; undefined for the default file. */
  readonly namedBy?: "--kubeconfig" | "KUBECONFIG";
}

function kubeconfigFiles(kubeconfig: string | undefined, env: NodeJS.ProcessEnv): KubeconfigFiles {
  if (kubeconfig !== undefined) return { files: [resolve(kubeconfig)], namedBy: "--kubeconfig" };
  const listed = (env["KUBECONFIG"] ?? "").split(delimiter).filter((file) => file !== "");
  if (listed.length > 0) return { files: listed.map((file) => resolve(file)), namedBy: "KUBECONFIG" };
  return { files: [homeFile(env)] };
}

function homeFile(env: NodeJS.ProcessEnv): string {
  return join(env["HOME"] || homedir(), ".kube", "config");
}

/** Skips missing files, like kubectl. If files were named and none exists, that is an error. */
async function readFiles({ files, namedBy }: KubeconfigFiles): Promise<readonly Content[] | undefined> {
  const contents = (await Promise.all(files.map(readIfPresent))).filter((content) => content !== undefined);
  if (contents.length > 0) return contents;
  if (namedBy === undefined) return undefined;
  throw new InputError(files.length > 1 ? "none of these kubeconfigs exists" : "the kubeconfig does not exist", {
    where: files.join(", "),
    next: `correct ${namedBy}`,
  });
}

async function readIfPresent(file: string): Promise<Content | undefined> {
  try {
    return { file, content: await readFile(file, "utf8") };
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw new InputError(`the kubeconfig cannot be read (${code})`, { where: file, next: "make it readable", cause });
  }
}

async function fromFiles(
  contents: readonly Content[],
  context: string | undefined,
  deps: { readonly env: NodeJS.ProcessEnv; readonly clock: Clock },
): Promise<ClusterAccess> {
  const [config, { chooseContext }, { contextAccess }] = await Promise.all([
    mergeFiles(contents),
    import("./choose-context.ts"),
    import("./context-access.ts"),
  ]);
  return contextAccess(chooseContext(config, context), deps);
}

/** Loads the YAML reader and the schemas only here, because a pod does not need them. */
async function mergeFiles(contents: readonly Content[]): Promise<MergedKubeconfig> {
  const [{ parseKubeconfig }, { mergeKubeconfigs }] = await Promise.all([
    import("./kubeconfig-file.ts"),
    import("./merge-kubeconfigs.ts"),
  ]);
  return mergeKubeconfigs(contents.map(({ file, content }) => ({ file, value: parseKubeconfig(content, file) })));
}
