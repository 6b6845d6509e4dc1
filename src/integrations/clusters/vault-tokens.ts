import { InputError, isJsonObject, type JsonObject, Secret } from "#base";
import type { SecretFields, TokenRequest, TokenStore } from "./token-stores.ts";
import { type VaultOptions, type VaultReply, VaultServer } from "./vault-server.ts";

interface Mount {
  /** Without slashes at its ends. */
  readonly path: string;
  readonly version: 1 | 2;
}

/** Secrets in HashiCorp Vault or OpenBao: key-value engines of version 1 and 2, which Vault itself tells apart. */
export function vaultTokens(options: VaultOptions): TokenStore {
  const server = new VaultServer(options);
  const { login } = options;
  const mounts = new Map<string, Mount>();
  let session: Secret | undefined;

  async function logIn(signal: AbortSignal): Promise<Secret> {
    if ("token" in login) return login.token;
    const { roleId, secretId, mount = "approle" } = login;
    const path = `auth/${encodePath(mount)}/login`;
    const body = { role_id: roleId, secret_id: secretId.reveal() };
    const reply = await server.call({ method: "POST", path, body }, signal);
    const auth = reply.body["auth"];
    const token = isJsonObject(auth) ? auth["client_token"] : undefined;
    if (reply.status === 200 && typeof token === "string") return new Secret(token);
    throw new InputError(`Vault does not accept the AppRole (${describe(reply)})`, {
      where: `${server.address}/v1/${path}`,
      next: "check the role id, and make a new secret id",
    });
  }

  /** A session may have expired: with an AppRole, we log in again once. */
  async function get(path: string, signal: AbortSignal): Promise<VaultReply> {
    session ??= await logIn(signal);
    const reply = await server.call({ method: "GET", path, token: session }, signal);
    if (reply.status !== 403 || "token" in login) return reply;
    session = await logIn(signal);
    return await server.call({ method: "GET", path, token: session }, signal);
  }

  /** What `vault kv get` asks too: https://developer.hashicorp.com/vault/api-docs/system/internal-ui-mounts */
  async function mountOf(path: string, signal: AbortSignal): Promise<Mount> {
    const known = [...mounts.values()].find((mount) => path.startsWith(`${mount.path}/`));
    if (known) return known;
    const reply = await get(`sys/internal/ui/mounts/${encodePath(path)}`, signal);
    if (reply.status !== 200) throw refused(reply, path);
    const data = isJsonObject(reply.body["data"]) ? reply.body["data"] : {};
    const { path: mounted } = data;
    if (typeof mounted !== "string") throw refused(reply, path);
    const mount = { path: trimSlashes(mounted), version: versionOf(data) };
    mounts.set(mount.path, mount);
    return mount;
  }

  function refused(reply: VaultReply, path: string): InputError {
    const next = reply.status === 403 ? "let the token's policy read it, or renew the token" : "check the path";
    return new InputError(`cannot read the secret ${path} from Vault (${describe(reply)})`, {
      where: server.address,
      next,
    });
  }

  return {
    description: `Vault at ${server.address}`,
    async read({ reference }: TokenRequest, signal): Promise<SecretFields | undefined> {
      const { version } = reference;
      const path = trimSlashes(reference.path);
      const mount = await mountOf(path, signal);
      const rest = encodePath(path.slice(mount.path.length + 1));
      if (mount.version === 1 && version !== undefined) {
        throw new InputError(`cannot read version ${version} of the secret ${path}`, {
          where: server.address,
          next: "leave out `version`: a key-value engine of version 1 keeps only the newest",
        });
      }
      const query = version === undefined ? "" : `?version=${version}`;
      const address = encodePath(mount.path);
      const reply = await get(mount.version === 2 ? `${address}/data/${rest}${query}` : `${address}/${rest}`, signal);
      // Also for a version that was deleted, with its metadata.
      if (reply.status === 404) return undefined;
      if (reply.status !== 200) throw refused(reply, path);
      return fieldsOf(reply.body, mount.version);
    },
  };
}

function versionOf({ options }: JsonObject): 1 | 2 {
  return isJsonObject(options) && options["version"] === "2" ? 2 : 1;
}

function fieldsOf(body: JsonObject, version: 1 | 2): SecretFields {
  const outer = isJsonObject(body["data"]) ? body["data"] : {};
  const inner = version === 2 ? outer["data"] : outer;
  const entries = Object.entries(isJsonObject(inner) ? inner : {});
  return new Map(entries.flatMap(([name, value]) => (typeof value === "string" ? [[name, new Secret(value)]] : [])));
}

function describe({ status, errors }: VaultReply): string {
  return [`answer ${status}`, ...errors].join(": ");
}

function trimSlashes(path: string): string {
  return path.replaceAll(/^\/+|\/+$/g, "");
}

function encodePath(path: string): string {
  const segments = path.split("/");
  if (segments.some((segment) => segment === ".." || segment === ".")) {
    throw new InputError(`the secret's path ${path} leads out of its engine`, { next: "write a path without .." });
  }
  return segments.map(encodeURIComponent).join("/");
}
