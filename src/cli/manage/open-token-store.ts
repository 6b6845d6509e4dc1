import { readFile } from "node:fs/promises";
import { InputError, Secret } from "#base";
import {
  environmentTokens,
  fileTokens,
  kubernetesTokens,
  type TokenStore,
  type VaultLogin,
  vaultTokens,
} from "#integrations";
import type { HomeCluster } from "../control/home-cluster.ts";

const forms = "file:DIRECTORY, environment, kubernetes:NAMESPACE or vault:URL";

/** Opens the token store that `--token-store` names. */
export async function openTokenStore(
  text: string,
  env: NodeJS.ProcessEnv,
  home: () => Promise<HomeCluster>,
): Promise<TokenStore> {
  const [, kind = "", rest = ""] = /^([a-z]+)(?::(.*))?$/.exec(text) ?? [];
  switch (kind) {
    case "file":
      if (rest !== "") return fileTokens(rest);
      break;
    case "environment":
      if (rest === "") return environmentTokens(env);
      break;
    case "kubernetes": {
      const { client, namespace } = await home();
      return kubernetesTokens(client, rest || namespace);
    }
    case "vault":
      return await openVault(rest || env["VAULT_ADDR"] || "", env);
  }
  throw new InputError(`expected ${forms}, got ${JSON.stringify(text)}`, { where: "--token-store" });
}

/** Uses the variables of Vault's own programs: https://developer.hashicorp.com/vault/docs/commands#environment-variables */
async function openVault(address: string, env: NodeJS.ProcessEnv): Promise<TokenStore> {
  if (address === "") {
    throw new InputError("tokens come from Vault, but no Vault address is set", {
      where: "--token-store",
      next: "write vault:https://vault.example.com:8200, or set VAULT_ADDR",
    });
  }
  const authority = env["VAULT_CACERT"];
  const certificateAuthority = authority ? await readFile(authority, "utf8").catch(refuseAuthority) : undefined;
  return vaultTokens({
    address,
    login: loginOf(env),
    namespace: env["VAULT_NAMESPACE"] || undefined,
    certificateAuthority,
  });
}

function loginOf(env: NodeJS.ProcessEnv): VaultLogin {
  const { VAULT_TOKEN: token, VAULT_ROLE_ID: roleId, VAULT_SECRET_ID: secretId } = env;
  if (token) return { token: new Secret(token) };
  if (roleId && secretId) {
    return { roleId, secretId: new Secret(secretId), mount: env["VAULT_APPROLE_MOUNT"] || undefined };
  }
  throw new InputError("tokens come from Vault, but no Vault login is set", {
    where: "--token-store",
    next: "set VAULT_TOKEN, or VAULT_ROLE_ID and VAULT_SECRET_ID",
  });
}

function refuseAuthority(cause: unknown): never {
  throw new InputError("cannot read the certificate authority of Vault", {
    where: "VAULT_CACERT",
    next: "check the path",
    cause,
  });
}
