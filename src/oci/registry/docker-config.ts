import { z } from "zod";
import { InputError, Secret } from "#base";
import { registryName, type RepositoryName } from "./image-reference.ts";

/** A user's right to use a registry. */
export interface RegistryCredential {
  /** Where it was read, for messages: `Secret shop/quay, auths["quay.io/acme"]`. */
  readonly source: string;
  readonly username?: string;
  readonly password?: Secret;
  /** `user:password` in base64, as it is sent. */
  readonly basic?: Secret;
  /** Exchanged for tokens at the registry's token server. */
  readonly identityToken?: Secret;
  /** Sent to the registry as it is. */
  readonly registryToken?: Secret;
}

/** Finds the credential for a repository. */
export interface RegistryCredentials {
  /** The one whose key is the longest prefix of the repository's full name. */
  find(repository: RepositoryName): RegistryCredential | undefined;
  /** Why there may be none where a user expects one: a credential helper, which Tenon does not run. */
  helperFor(registry: string): string | undefined;
}

interface Entry {
  readonly host: string;
  /** Empty, or without a slash at either end. */
  readonly path: string;
  readonly credential: RegistryCredential;
}

const Auth = z.looseObject({
  auth: z.string().optional(),
  username: z.string().optional(),
  password: z.string().optional(),
  identitytoken: z.string().optional(),
  registrytoken: z.string().optional(),
});
const Auths = z.record(z.string(), Auth.nullable());
const DockerConfig = z.looseObject({
  auths: Auths.optional(),
  credsStore: z.string().optional(),
  credHelpers: z.record(z.string(), z.string()).optional(),
});

export const noCredentials: RegistryCredentials = { find: () => undefined, helperFor: () => undefined };

/** A Docker configuration; `where` names its file or Secret in messages. */
export interface DockerConfigText {
  readonly text: string;
  readonly where: string;
}

/**
 * Reads `config.json` of Docker or podman, or the content of a Secret of type `kubernetes.io/dockerconfigjson` or
 * `kubernetes.io/dockercfg`. `where` names the file or Secret in messages.
 */
export function parseDockerConfig(text: string, where: string): RegistryCredentials {
  return combineDockerConfigs([{ text, where }]);
}

/** Reads several as if they were one: the longest prefix wins, whichever of them has it; of equal ones, the first. */
export function combineDockerConfigs(configs: readonly DockerConfigText[]): RegistryCredentials {
  const all = configs.map(readDockerConfig);
  const entries = all.flatMap((config) => config.entries);
  return {
    find: (repository) => bestEntry(entries, repository)?.credential,
    helperFor: (registry) => firstOf(all, ({ helpers, store }) => helpers.get(registry) ?? store),
  };
}

interface DockerConfigEntries {
  readonly entries: readonly Entry[];
  readonly helpers: ReadonlyMap<string, string>;
  readonly store: string | undefined;
}

function readDockerConfig({ text, where }: DockerConfigText): DockerConfigEntries {
  const value = parseObject(text, where);
  // The older format is the list of `auths` alone.
  const isOlder = !("auths" in value || "credsStore" in value || "credHelpers" in value);
  const parsed = DockerConfig.safeParse(isOlder && Object.keys(value).length > 0 ? { auths: value } : value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new InputError(`cannot read credentials: ${issue?.message ?? "unexpected content"}`, {
      where: `${where}, ${issue?.path.join(".") ?? ""}`,
      next: 'expected {"auths": {"HOST": {"auth": "BASE64 OF USER:PASSWORD"}}}',
    });
  }
  const { auths = {}, credsStore, credHelpers = {} } = parsed.data;
  const entries = Object.entries(auths).flatMap(([key, auth]) => {
    const credential = auth === null ? undefined : readAuth(auth, `${where}, auths[${JSON.stringify(key)}]`);
    return credential === undefined ? [] : [{ ...splitKey(key), credential }];
  });
  const helpers = new Map(Object.entries(credHelpers).map(([key, helper]) => [splitKey(key).host, helper]));
  return { entries, helpers, store: credsStore };
}

/** Asks each in turn; the first that has a credential for the repository wins. */
export function mergeCredentials(all: readonly RegistryCredentials[]): RegistryCredentials {
  return {
    find: (repository) => firstOf(all, (each) => each.find(repository)),
    helperFor: (registry) => firstOf(all, (each) => each.helperFor(registry)),
  };
}

function firstOf<Item, Result>(items: readonly Item[], read: (item: Item) => Result | undefined): Result | undefined {
  for (const item of items) {
    const found = read(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Not the parser's own error: it quotes the text, which holds passwords. */
function parseObject(text: string, where: string): object {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  } catch {
    // reported below
  }
  throw new InputError("cannot read credentials: expected a JSON object", {
    where,
    next: 'write it like {"auths": {"HOST": {"auth": "BASE64 OF USER:PASSWORD"}}}',
  });
}

function readAuth(auth: z.infer<typeof Auth>, source: string): RegistryCredential | undefined {
  const identityToken = auth.identitytoken ? new Secret(auth.identitytoken) : undefined;
  const registryToken = auth.registrytoken ? new Secret(auth.registrytoken) : undefined;
  const decoded = auth.auth ? Buffer.from(auth.auth, "base64").toString() : "";
  const colon = decoded.indexOf(":");
  if (auth.auth && colon < 0) {
    throw new InputError("auth is not the base64 of USER:PASSWORD", {
      where: source,
      next: "write it with `docker login` or `kubectl create secret docker-registry`",
    });
  }
  // Docker writes padding of NUL bytes in some versions.
  const username = auth.username || decoded.slice(0, Math.max(colon, 0));
  const password = auth.password || decoded.slice(colon + 1).replaceAll("\0", "");
  if (username === "" && identityToken === undefined && registryToken === undefined) return undefined;
  return {
    source,
    ...(username === ""
      ? {}
      : {
          username,
          password: new Secret(password),
          basic: new Secret(Buffer.from(`${username}:${password}`).toString("base64")),
        }),
    ...(identityToken === undefined ? {} : { identityToken }),
    ...(registryToken === undefined ? {} : { registryToken }),
  };
}

/** Docker writes `https://index.docker.io/v1/` for Docker Hub. */
function splitKey(key: string): { readonly host: string; readonly path: string } {
  const bare = key.replace(/^https?:\/\//, "");
  const slash = bare.indexOf("/");
  const host = registryName(slash < 0 ? bare : bare.slice(0, slash));
  const path = (slash < 0 ? "" : bare.slice(slash + 1)).split("/").filter((part) => part !== "");
  const isVersion = path.length === 1 && (path[0] === "v1" || path[0] === "v2");
  return { host, path: isVersion ? "" : path.join("/") };
}

function bestEntry(entries: readonly Entry[], { registry, repository }: RepositoryName): Entry | undefined {
  const matching = entries.filter(
    ({ host, path }) =>
      matchesHost(host, registry) && (path === "" || repository === path || repository.startsWith(`${path}/`)),
  );
  const rank = ({ host, path }: Entry): number => 2 * path.length + (host.includes("*") ? 0 : 1);
  return matching.toSorted((one, other) => rank(other) - rank(one))[0];
}

/** As the kubelet does, `*` stands for characters within one label: https://kubernetes.io/docs/concepts/containers/images/#config-json */
function matchesHost(pattern: string, host: string): boolean {
  if (!pattern.includes("*")) return pattern === host;
  const [labels, others] = [pattern.split("."), host.split(".")];
  return labels.length === others.length && labels.every((label, index) => matchesLabel(label, others[index] ?? ""));
}

function matchesLabel(pattern: string, label: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  if (rest.length === 0) return pattern === label;
  const last = rest.pop() ?? "";
  if (!label.startsWith(first) || !label.endsWith(last) || label.length < first.length + last.length) return false;
  let at = first.length;
  const end = label.length - last.length;
  for (const part of rest) {
    const found = label.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}
