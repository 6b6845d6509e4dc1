import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { load } from "js-yaml";
import { z } from "zod";
import { InputError } from "#base";

/** The contexts of the user's kubeconfig files, which kubectl merges: what comes first wins. */
export interface Contexts {
  readonly files: readonly string[];
  readonly current: string | undefined;
  readonly names: readonly string[];
}

const Kubeconfig = z.object({
  "current-context": z.string().nullish(),
  contexts: z.array(z.object({ name: z.string() })).nullish(),
});

/** Reads the file given, else those of KUBECONFIG, else ~/.kube/config. Of the latter two, missing ones do not count. */
export async function readContexts(kubeconfig: string | undefined, env: NodeJS.ProcessEnv): Promise<Contexts> {
  const files = kubeconfig === undefined ? defaultFiles(env) : [kubeconfig];
  const parsed = await Promise.all(files.map((file) => readKubeconfig(file, kubeconfig !== undefined)));
  return {
    files,
    current: parsed.map((config) => config["current-context"]).find(Boolean) ?? undefined,
    names: [...new Set(parsed.flatMap(({ contexts }) => contexts ?? []).map(({ name }) => name))],
  };
}

function defaultFiles(env: NodeJS.ProcessEnv): string[] {
  const listed = (env["KUBECONFIG"] ?? "").split(delimiter).filter((file) => file !== "");
  return listed.length > 0 ? listed : [join(env["HOME"] || homedir(), ".kube", "config")];
}

async function readKubeconfig(file: string, isRequired: boolean): Promise<z.infer<typeof Kubeconfig>> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (cause) {
    if (!isRequired && cause instanceof Error && "code" in cause && cause.code === "ENOENT") return {};
    throw new InputError("the kubeconfig cannot be read", { where: file, cause });
  }
  try {
    return Kubeconfig.parse(load(text) ?? {});
  } catch (cause) {
    throw new InputError("this is no kubeconfig", { where: file, cause });
  }
}
