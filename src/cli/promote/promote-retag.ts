import { isDeepStrictEqual } from "node:util";
import { InputError, isRecord, systemClock } from "#base";
import { ApiError, type KubeClient } from "#kube";
import { formatRepository, mergeCredentials, type RegistryCredentials } from "#oci";
import {
  type ActingAccount,
  loadRetagRequest,
  readAccountCredentials,
  Release,
  ReleasePlan,
  RepositoryLocks,
  retagMetrics,
  retagRelease,
  Snapshot,
} from "#promotion";
import { parseObjectKey } from "../couple/object-name.ts";
import { requireCoupledKinds, withClient } from "../couple/with-client.ts";
import { readShellRegistries, type RegistryChoice, type ShellRegistrySettings } from "../image/shell-registries.ts";
import { tagColumns, tagRow } from "../image/tag-rows.ts";
import type { ClusterChoice, OutputFormat } from "../shared-options.ts";
import type { Shell } from "../shell.ts";
import { printRows } from "../terminal/print-rows.ts";

export interface PromoteRetagChoice extends ClusterChoice, RegistryChoice {
  readonly release: string;
  readonly namespace?: string;
  readonly dryRun: boolean;
  readonly output: OutputFormat;
}

/** `tenon promote retag`: what `builtin/retag` does, as a pod of a pipeline or as a person. */
export async function promoteRetag(choice: PromoteRetagChoice, shell: Shell): Promise<void> {
  const settings = await readShellRegistries(choice, shell);
  await withClient(choice, shell, async (client, ownNamespace) => {
    const { signal } = shell;
    await requireCoupledKinds(client, signal, [Release, ReleasePlan, Snapshot]);
    const { namespace, name } = parseObjectKey(choice.release, choice.namespace ?? ownNamespace);
    const account = await readAccount(client, namespace, signal);
    const request = await loadRetagRequest(client, { namespace, name, accountNamespace: account.namespace }, signal);
    const credentials = await chooseCredentials(account, settings, choice, signal);
    const { apiVersion, kind } = Snapshot;
    const outcome = await retagRelease(
      { ...request, namespace: account.namespace, serviceAccountName: account.name, isDryRun: choice.dryRun },
      {
        clock: systemClock,
        metrics: retagMetrics(),
        actAs: () => account,
        credentials,
        settings,
        snapshotsIn: async (of) => (await client.list({ apiVersion, kind, namespace: of }, signal)).items,
        locks: new RepositoryLocks(),
      },
      signal,
    );
    if (outcome.kind === "failed") {
      throw new InputError(outcome.message, { where: `Release ${namespace}/${name}` });
    }
    const rows = outcome.tagged.flatMap(({ repository, moves }) =>
      moves.map((move) => tagRow(formatRepository(repository), move, choice.dryRun)),
    );
    await printRows({ rows, columns: tagColumns, whenEmpty: "" }, choice.output, shell);
    if (choice.dryRun) return;
    const status = isRecord(request.release["status"]) ? request.release["status"] : {};
    const before = isRecord(status["artifacts"]) ? status["artifacts"] : {};
    if (isDeepStrictEqual({ ...before, ...outcome.artifacts }, before)) return;
    const ref = { apiVersion: Release.apiVersion, kind: Release.kind, namespace, name };
    const body = { status: { artifacts: outcome.artifacts } };
    await client.patch(ref, { type: "merge", subresource: "status", body, fieldManager: "tenon" }, signal);
  });
}

interface CallingAccount extends ActingAccount {
  /** Otherwise a person calls. */
  readonly isServiceAccount: boolean;
}

/** Who calls: in a pod, its service account. Keys are read with the same rights. */
async function readAccount(client: KubeClient, namespace: string, signal: AbortSignal): Promise<CallingAccount> {
  const { user } = await client.whoAmI(signal);
  const [, of, name] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(user) ?? [];
  if (of === undefined || name === undefined) return { namespace, name: user, client, isServiceAccount: false };
  return { namespace: of, name, client, isServiceAccount: true };
}

/**
 * A person's are those of `docker login`. In a pod, those that are linked to its service account; Tekton also writes them to a
 * file, for accounts that may not read Secrets.
 */
async function chooseCredentials(
  account: CallingAccount,
  { credentials, credentialFiles }: ShellRegistrySettings,
  { registryConfig }: RegistryChoice,
  signal: AbortSignal,
): Promise<RegistryCredentials> {
  if (registryConfig !== undefined || !account.isServiceAccount) return credentials;
  try {
    return mergeCredentials([await readAccountCredentials(account, signal), credentials]);
  } catch (error) {
    const isForbidden = error instanceof InputError && error.cause instanceof ApiError;
    if (isForbidden && credentialFiles.length > 0) return credentials;
    throw error;
  }
}
