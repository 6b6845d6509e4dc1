import { z } from "zod";
import { formatFieldPath, InputError, type JsonValue, redact, Secret } from "#base";
import { parseYaml } from "#yaml";

/** Go reads a number or a boolean where it expects text as that text, and takes null and "" as absent. */
const text = z.union([z.string(), z.number(), z.boolean()]).transform(String);
const optionalText = text.nullish().transform((value) => (value === "" || value === null ? undefined : value));
const flag = z
  .boolean()
  .nullish()
  .transform((value) => value === true);

function listOf<Item extends z.ZodType>(item: Item) {
  return z
    .array(item)
    .nullish()
    .transform((items) => items ?? []);
}

const Cluster = z.object({
  server: optionalText,
  "tls-server-name": optionalText,
  "insecure-skip-tls-verify": flag,
  "certificate-authority": optionalText,
  "certificate-authority-data": optionalText,
  "proxy-url": optionalText,
  "disable-compression": flag,
  extensions: listOf(z.object({ name: text, extension: z.unknown() })),
});

const Exec = z.object({
  apiVersion: optionalText,
  command: optionalText,
  args: listOf(text),
  env: listOf(z.object({ name: text, value: text })),
  installHint: optionalText,
  provideClusterInfo: flag,
  interactiveMode: optionalText,
});

const User = z.object({
  "client-certificate": optionalText,
  "client-certificate-data": optionalText,
  "client-key": optionalText,
  "client-key-data": optionalText,
  token: optionalText,
  tokenFile: optionalText,
  username: optionalText,
  password: optionalText,
  as: optionalText,
  "as-uid": optionalText,
  "as-groups": listOf(text),
  "as-user-extra": z.record(z.string(), listOf(text)).nullish(),
  "auth-provider": z.object({ name: optionalText }).nullish(),
  exec: Exec.nullish(),
});

const Context = z.object({ cluster: optionalText, user: optionalText, namespace: optionalText });

const Config = z.object({
  apiVersion: optionalText,
  kind: optionalText,
  "current-context": optionalText,
  clusters: listOf(z.object({ name: text, cluster: Cluster })),
  users: listOf(z.object({ name: text, user: User.nullish().transform((user) => user ?? User.parse({})) })),
  contexts: listOf(
    z.object({ name: text, context: Context.nullish().transform((context) => context ?? Context.parse({})) }),
  ),
});

export type ClusterEntry = z.infer<typeof Cluster>;
export type ExecEntry = z.infer<typeof Exec>;
export type UserEntry = z.infer<typeof User>;
export type ContextEntry = z.infer<typeof Context>;

/** One file: https://kubernetes.io/docs/reference/config-api/kubeconfig.v1/ */
export type Kubeconfig = z.infer<typeof Config>;

/** Reads YAML, of which JSON is a part. The InputErrors name file, line or field, and quote nothing of the content. */
export function parseKubeconfig(content: string, file: string): Kubeconfig {
  const secrets = secretsIn(content);
  try {
    return parse(content, file);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const { what, where, next } = error;
    throw new InputError(redact(what), {
      ...(where === undefined ? {} : { where: redact(where) }),
      ...(next === undefined ? {} : { next: redact(next) }),
    });
  } finally {
    // `redact` knows a secret only while it is referenced.
    secrets.length = 0;
  }
}

/** The values of keys that hold secrets; works for files that cannot be parsed, too. */
function secretsIn(content: string): Secret[] {
  const values = content.matchAll(/(?:token|password|key-data|certificate-data)["']?\s*:\s*["']?([^\s"',}]+)/gi);
  return Array.from(values, ([, value = ""]) => new Secret(value));
}

function parse(content: string, file: string): Kubeconfig {
  if (content.trim() === "") {
    throw new InputError("the kubeconfig is empty", {
      where: file,
      next: "write the cluster's kubeconfig there, or name another file with --kubeconfig",
    });
  }
  const { data, error } = Config.safeParse(readYaml(content, file) ?? {});
  if (error) {
    const [issue] = error.issues;
    const path = (issue?.path ?? []).map((step) => (typeof step === "symbol" ? String(step) : step));
    const field = path.length === 0 ? "the file" : formatFieldPath(path);
    throw notAConfig(file, `${field} is not valid: ${issue?.message ?? "unknown"}`);
  }
  checkKind(data, file);
  checkNames(data, file);
  return data;
}

function readYaml(content: string, file: string): JsonValue {
  try {
    return parseYaml(content, { file });
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    // The text after a quote is content and may be secret. For the same reason the error is not passed on as `cause`.
    const [said = ""] = error.what.replace("not valid YAML: ", "").split(/["'`<]/);
    // oxlint-disable-next-line tenon/linear-patterns -- our own words about the file of the user
    throw new InputError(`the kubeconfig is not valid YAML: ${said.replace(/[\s,:]+(?:key|in)?\s*$/, "")}`, {
      where: error.where ?? file,
      next: "correct it, or let the tool that created it write it again",
    });
  }
}

function checkKind({ apiVersion, kind, clusters, contexts, users, ...rest }: Kubeconfig, file: string): void {
  if (kind !== undefined && kind !== "Config") throw notAConfig(file, `its kind is ${kind}, not Config`);
  if (apiVersion !== undefined && apiVersion !== "v1")
    throw notAConfig(file, `its apiVersion is ${apiVersion}, not v1`);
  const isEmpty = clusters.length + contexts.length + users.length === 0 && rest["current-context"] === undefined;
  if (isEmpty && kind === undefined) throw notAConfig(file, "it has no clusters, users or contexts");
}

/** As kubectl does: a second entry of the same name in one file is an error, in another file it is ignored. */
function checkNames(config: Kubeconfig, file: string): void {
  for (const list of ["clusters", "users", "contexts"] as const) {
    const names = config[list].map(({ name }) => name);
    const twice = names.find((name, index) => names.indexOf(name) < index);
    if (twice === undefined) continue;
    throw new InputError(`${list} has two entries named ${JSON.stringify(twice)}`, {
      where: file,
      next: "rename or remove one of them",
    });
  }
}

function notAConfig(file: string, because: string): InputError {
  return new InputError(`this is not a kubeconfig: ${because}`, {
    where: file,
    next: "name a kubeconfig with --kubeconfig or in KUBECONFIG",
  });
}
