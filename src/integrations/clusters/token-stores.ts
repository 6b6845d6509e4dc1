import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { InputError, isJsonObject, Secret, valueAt } from "#base";
import type { KubeClient } from "#kube";
import { parseYaml } from "#yaml";
import type { VaultSecretRef } from "../data/integration.ts";

/** Which secret is needed, and for which cluster. */
export interface TokenRequest {
  readonly cluster: string;
  readonly reference: VaultSecretRef;
}

/** The fields of one secret. */
export type SecretFields = ReadonlyMap<string, Secret>;

/** Where the tokens are that data files only refer to. */
export interface TokenStore {
  /** For messages: `the directory /etc/tokens`. */
  readonly description: string;
  /** Undefined if there is no such secret. A secret may lack the field. */
  read(question: TokenRequest, signal: AbortSignal): Promise<SecretFields | undefined>;
}

/** Beside the token: the API server that it is for, and who signed that server's certificate. */
export const serverField = "server";
export const authorityField = "ca.crt";

/** The variable that holds the token of a cluster: `prod-eu` has `TENON_TOKEN_PROD_EU`. */
export function tokenVariable(cluster: string): string {
  return `TENON_TOKEN_${cluster.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_")}`;
}

/** Tokens in the environment, one variable a cluster; paths do not count. */
export function environmentTokens(env: NodeJS.ProcessEnv): TokenStore {
  return {
    description: "the environment (TENON_TOKEN_<CLUSTER>)",
    async read({ cluster, reference: { field } }) {
      const token = env[tokenVariable(cluster)];
      return token ? new Map([[field, new Secret(token)]]) : undefined;
    },
  };
}

/**
 * Secrets in a directory, as a mounted volume has them: `<directory>/<path>/<field>`, or at `<directory>/<path>` one file
 * of YAML or JSON with all fields.
 */
export function fileTokens(directory: string): TokenStore {
  return {
    description: `the directory ${directory}`,
    async read({ reference: { path, field } }: TokenRequest): Promise<SecretFields | undefined> {
      const file = join(directory, ...segmentsOf(path, field));
      const stats = await stat(file).catch(ignoreAbsence);
      if (!stats) return await absentFrom(directory);
      if (!stats.isDirectory()) return parseFields(await readFile(file, "utf8"), file);
      const names = [field, serverField, authorityField];
      const texts = await Promise.all(names.map((name) => readFile(join(file, name), "utf8").catch(ignoreAbsence)));
      // Editors and `echo` end a file with a newline, which no token has.
      const found = names.map((name, index): [string, string | undefined] => [name, texts[index]?.trimEnd()]);
      return new Map(found.flatMap(([name, text]) => (text === undefined ? [] : [[name, new Secret(text)]])));
    },
  };
}

/** That one secret is missing is another mistake than that all are. */
async function absentFrom(directory: string): Promise<undefined> {
  if (await stat(directory).catch(ignoreAbsence)) return undefined;
  throw new InputError("the directory of tokens does not exist", {
    where: directory,
    next: "mount or create it, or name another with --token-store file:DIRECTORY",
  });
}

/** The path comes from data: it must not lead out of the directory. */
function segmentsOf(path: string, field: string): string[] {
  const segments = path.split("/").filter((segment) => segment !== "");
  const isOutside = [...segments, field].some(
    (segment) => segment === ".." || segment === "." || segment.includes("\0"),
  );
  if (!isOutside && segments.length > 0 && !field.includes("/")) return segments;
  throw new InputError(`the secret's path ${path} and field ${field} do not make a valid file path`, {
    next: "write a path without .. and a field without /",
  });
}

function parseFields(text: string, file: string): SecretFields {
  const value = parseYaml(text, { file });
  if (!isJsonObject(value)) {
    throw new InputError("expected a map of fields", { where: file, next: "write one `field: value` a line" });
  }
  const fields = new Map<string, Secret>();
  for (const [name, content] of Object.entries(value)) {
    if (typeof content === "string") fields.set(name, new Secret(content));
  }
  return fields;
}

function ignoreAbsence(error: unknown): undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ENOENT" || code === "ENOTDIR") return undefined;
  throw error;
}

/** Names of Secrets: https://kubernetes.io/docs/concepts/overview/working-with-objects/names/#dns-subdomain-names */
const legalName = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** Tokens in Secrets of one namespace. The slashes of a path are dots in the name: `creds/prod-eu` is the Secret `creds.prod-eu`. */
export function kubernetesTokens(client: Pick<KubeClient, "find">, namespace: string): TokenStore {
  return {
    description: `the Secrets of the namespace ${namespace}`,
    async read({ reference: { path } }, signal) {
      const name = path.split("/").filter(Boolean).join(".");
      if (name.length > 253 || !legalName.test(name)) {
        throw new InputError(`the secret's path ${path} does not make a valid name for a Secret`, {
          next: "use lower-case letters, digits, - and / only, or keep tokens in another store",
        });
      }
      const secret = await client.find({ apiVersion: "v1", kind: "Secret", namespace, name }, signal);
      if (!secret) return undefined;
      const data = valueAt(secret, ["data"]);
      const entries = Object.entries(typeof data === "object" && data !== null ? data : {});
      return new Map(entries.map(([field, value]) => [field, new Secret(decode(String(value)))]));
    },
  };
}

function decode(text: string): string {
  return Buffer.from(text, "base64").toString("utf8");
}
