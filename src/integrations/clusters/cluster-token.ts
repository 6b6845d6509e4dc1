import { InputError, Secret } from "#base";
import type { ClusterData, VaultSecretRef } from "../data/integration.ts";
import { authorityField, serverField, type TokenStore } from "./token-stores.ts";

/** What a cluster of the data is called upon with. */
export interface ClusterToken {
  readonly token: Secret;
  /** PEM. */
  readonly certificateAuthority: string | undefined;
  /** For messages: where the token is kept. */
  readonly where: string;
}

/** The reference to use: the first active token that has a secret and is not marked for deletion, else the single one. */
export function tokenReference({ automationToken, automationTokens }: ClusterData): VaultSecretRef | undefined {
  const active = automationTokens.find((entry) => entry.active && !entry.delete && entry.secret !== undefined);
  return active?.secret ?? automationToken;
}

/** Reads a cluster's token. All that may be missing is an `InputError` that says what. */
export async function readClusterToken(
  cluster: ClusterData,
  store: TokenStore | undefined,
  signal: AbortSignal,
): Promise<ClusterToken> {
  const { name, serverUrl } = cluster;
  const reference = tokenReference(cluster);
  if (!reference) {
    throw new InputError(`cluster ${name} has no automation token`, {
      next: "give it an `automationToken`, or set a kubeconfig context for it",
    });
  }
  if (!serverUrl) throw new InputError(`cluster ${name} has no serverUrl`, { next: "add it to the cluster's file" });
  const { path, field, format = "plain" } = reference;
  if (!store) {
    throw new InputError(`the token of cluster ${name} is at ${path}, but no token store is set`, {
      next: `give --token-store, --cluster-context ${name}=CONTEXT, or --context for all clusters; or set it in tenon.yaml`,
    });
  }
  const where = `${path} in ${store.description}`;
  const fields = await store.read({ cluster: name, reference }, signal);
  if (!fields) throw new InputError(`cluster ${name}: secret not found`, { where, next: "store it there" });
  const server = fields.get(serverField)?.reveal();
  if (server !== undefined && server !== serverUrl) {
    throw new InputError(
      `cluster ${name}: server URL mismatch: the token is for ${server}, but the cluster is ${serverUrl}`,
      {
        where,
        next: "make the two the same",
      },
    );
  }
  const stored = fields.get(field);
  if (!stored)
    throw new InputError(`cluster ${name}: the secret has no field ${field}`, { where, next: "store it there" });
  return {
    token: decode(stored, format, where),
    certificateAuthority: fields.get(authorityField)?.reveal(),
    where: `${field} of ${where}`,
  };
}

function decode(stored: Secret, format: string, where: string): Secret {
  const next = "write `plain` or `base64`";
  if (format === "plain") return stored;
  if (format !== "base64") throw new InputError(`the secret's format is ${format}`, { where, next });
  const text = stored.reveal().trim();
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text))
    throw new InputError("the secret is not base64, as its format says", { where, next });
  return new Secret(Buffer.from(text, "base64").toString("utf8").trimEnd());
}
