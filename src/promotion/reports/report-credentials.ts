import { InputError, Secret, valueAt } from "#base";
import type { ForgeCredentials } from "#forge";
import type { KubeClient, KubeObject } from "#kube";
import { scmLabels, scmRepositories } from "../kinds/promotion-names.ts";
import type { ReportTarget } from "./report-destination.ts";

/** How Tenon signs in to a forge to report. */
export interface ReportCredentials {
  readonly credentials: ForgeCredentials;
  readonly certificateAuthority: string | undefined;
}

/**
 * The Secret of the namespace that is labelled for this forge. Its owner says by labels and an annotation where it may be sent;
 * nothing in a Snapshot or a scenario names a Secret, so that no one gets a token sent elsewhere.
 */
export async function findReportCredentials(
  namespace: string,
  { repository, installation }: ReportTarget,
  client: KubeClient,
  signal: AbortSignal,
): Promise<ReportCredentials> {
  const { host, pathname } = new URL(repository);
  // A label's value has no colon.
  const labelled = host.replace(":", "_");
  const labelSelector = `${scmLabels.credentials}=scm,${scmLabels.host}=${labelled}`;
  const { items } = await client.list({ apiVersion: "v1", kind: "Secret", namespace, labelSelector }, signal);
  const path = pathname
    .replace(/^\/+/, "")
    .replace(/\/+$/, "")
    .replace(/\.git$/, "");
  const chosen = items
    .map((secret) => ({ secret, rank: rankOf(secret, path) }))
    .filter(({ rank }) => rank > 0)
    .toSorted((one, other) => other.rank - one.rank)[0]?.secret;
  if (!chosen) {
    throw new InputError(`no Secret for ${host} in namespace ${namespace}`, {
      where: repository,
      next: `create one with the labels ${scmLabels.credentials}=scm and ${scmLabels.host}=${labelled}, and a token as its password`,
    });
  }
  return readCredentials(chosen, installation);
}

/** 0 if the Secret is for other repositories; one that names this repository comes before one for a group of them. */
function rankOf({ metadata }: KubeObject, path: string): number {
  const given = metadata.annotations?.[scmRepositories];
  if (given === undefined || given.trim() === "") return 1;
  const ranks = given.split(",").map((item) => {
    const pattern = item
      .trim()
      .replace(/^\/+/, "")
      .replace(/\.git$/, "");
    if (pattern.toLowerCase() === path.toLowerCase()) return 1_000;
    const prefix = pattern.endsWith("/*") ? pattern.slice(0, -1).toLowerCase() : undefined;
    return prefix !== undefined && path.toLowerCase().startsWith(prefix) ? 1 + prefix.length : 0;
  });
  return Math.max(0, ...ranks);
}

function readCredentials(secret: KubeObject, installation: number | undefined): ReportCredentials {
  const get = (key: string): string | undefined => {
    const value = valueAt(secret, ["data", key]);
    const text = typeof value === "string" ? Buffer.from(value, "base64").toString().trim() : "";
    return text === "" ? undefined : text;
  };
  const certificateAuthority = get("ca.crt");
  const [appId, privateKey] = [get("app-id"), get("private-key")];
  if (appId !== undefined && privateKey !== undefined && installation !== undefined) {
    const credentials = {
      kind: "app",
      appId,
      installationId: installation,
      privateKey: new Secret(privateKey),
    } as const;
    return { credentials, certificateAuthority };
  }
  const token = get("password") ?? get("token");
  if (token === undefined) {
    throw new InputError("a Secret for a forge needs a token, or an App of GitHub", {
      where: `Secret ${secret.metadata.namespace ?? ""}/${secret.metadata.name}`,
      next: "add the key password, or app-id and private-key for builds that an App started",
    });
  }
  return { credentials: { kind: "token", token: new Secret(token) }, certificateAuthority };
}
