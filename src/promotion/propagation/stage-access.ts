import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Clock, InputError, Secret, valueAt } from "#base";
import { type Forge, type ForgeCredentials, openForge } from "#forge";
import { type GitCredentials, type GitRemote, isRemoteRepository } from "#git";
import { ApiError, type KubeClient, type KubeObject } from "#kube";
import { parseDockerConfig, type RegistryCredentials } from "#oci";
import type { Propagation, PropagationStage } from "../kinds/propagation.ts";

/** A stage's repository and forge, signed in to. Disposing closes connections and deletes the files with keys. */
export interface StageAccess extends AsyncDisposable {
  readonly remote: GitRemote;
  /** Undefined for `plain`. */
  readonly forge: Forge | undefined;
  /** The private key that signs commits. */
  readonly signingKeyFile?: string;
}

export interface AccessDeps {
  readonly client: KubeClient;
  readonly clock: Pick<Clock, "now">;
}

/** Reads as the service account that the Propagation names, so that no one gets at a Secret through Tenon that they cannot use. */
export function accountClient({ metadata, spec }: Propagation, client: KubeClient): KubeClient {
  return client.impersonate({ user: accountUser({ metadata, spec }) });
}

function accountUser({ metadata, spec }: Pick<Propagation, "metadata" | "spec">): string {
  return `system:serviceaccount:${metadata.namespace ?? ""}:${spec.serviceAccountName ?? "default"}`;
}

export async function openStageAccess(
  propagation: Propagation,
  stage: PropagationStage,
  { client, clock }: AccessDeps,
  signal: AbortSignal,
): Promise<StageAccess> {
  const where = `spec.stages[${stage.name}]`;
  const { forge: settings, repository } = stage;
  if (!isRemoteRepository(repository) || repository.startsWith("file:")) {
    const next = "give the address of a repository on a server, like https://forge.example/acme/gitops.git";
    throw new InputError("a local directory is not a GitOps repository", { where: `${where}.repository`, next });
  }
  const read = (kind: "Secret" | "ConfigMap", name: string, field: string) =>
    readData(propagation, client, { kind, name, field }, signal);
  await using stack = new AsyncDisposableStack();
  const directory = stack.use(await mkdtempDisposable(join(tmpdir(), "tenon-stage-")));
  const keep = async (name: string, text: string): Promise<string> => {
    const file = join(directory.path, name);
    await writeFile(file, text, { mode: 0o600 });
    return file;
  };
  const { certificateAuthority: authorityName, credentials: credentialsName } = settings;
  const authority =
    authorityName === undefined
      ? undefined
      : (await read("ConfigMap", authorityName, `${where}.forge.certificateAuthority`)).require("ca.crt");
  const given =
    credentialsName === undefined ? undefined : await read("Secret", credentialsName, `${where}.forge.credentials`);
  const signing = propagation.spec.identity?.signingKey;
  const signingKeyFile =
    signing === undefined
      ? {}
      : {
          signingKeyFile: await keep(
            "signing-key",
            (await read("Secret", signing, "spec.identity.signingKey")).require("ssh-privatekey"),
          ),
        };
  const certificateAuthorityFile =
    authority === undefined ? {} : { certificateAuthorityFile: await keep("ca.crt", authority) };
  const base = { repository, ...certificateAuthorityFile };
  if (settings.kind === "plain") {
    const credentials = given && (await plainCredentials(given, keep));
    const owned = stack.move();
    return {
      remote: { ...base, ...(credentials && { credentials }) },
      forge: undefined,
      ...signingKeyFile,
      [Symbol.asyncDispose]: () => owned.disposeAsync(),
    };
  }
  if (!given) {
    throw new InputError(`a forge of kind ${settings.kind} needs credentials`, {
      where: `${where}.forge.credentials`,
      next: "name a Secret with a token",
    });
  }
  const { forge } = stack.use(
    await openForge({
      kind: settings.kind,
      repository,
      credentials: forgeCredentials(given),
      certificateAuthority: authority,
      clock,
    }),
  );
  const credentials: GitCredentials = { kind: "token", ...(await forge.gitLogin(signal)) };
  const owned = stack.move();
  return {
    remote: { ...base, credentials },
    forge,
    ...signingKeyFile,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** The credentials for the registries of the source. */
export async function readRegistryCredentials(
  propagation: Propagation,
  client: KubeClient,
  signal: AbortSignal,
): Promise<RegistryCredentials | undefined> {
  const name = propagation.spec.source.credentials;
  if (name === undefined) return undefined;
  const secret = await readData(
    propagation,
    client,
    { kind: "Secret", name, field: "spec.source.credentials" },
    signal,
  );
  return parseDockerConfig(secret.require(".dockerconfigjson"), `Secret ${propagation.metadata.namespace}/${name}`);
}

interface DataRef {
  readonly kind: "Secret" | "ConfigMap";
  /** In the namespace of the Propagation. */
  readonly name: string;
  /** The field of the Propagation that names it. */
  readonly field: string;
}

interface ReadData {
  get(key: string): string | undefined;
  require(key: string): string;
}

async function readData(
  propagation: Propagation,
  client: KubeClient,
  ref: DataRef,
  signal: AbortSignal,
): Promise<ReadData> {
  const { kind, name, field } = ref;
  const { namespace = "" } = propagation.metadata;
  const found = await findData(propagation, client, ref, signal);
  if (!found) {
    throw new InputError(`${kind} ${namespace}/${name} not found`, {
      where: field,
      next: "create it, or correct the name",
    });
  }
  const get = (key: string): string | undefined => {
    const value = valueAt(found, ["data", key]);
    if (typeof value !== "string") return undefined;
    return kind === "Secret" ? Buffer.from(value, "base64").toString() : value;
  };
  return {
    get,
    require(key) {
      const value = get(key)?.trim();
      if (value) return `${value}\n`.trimStart();
      throw new InputError(`${kind} ${namespace}/${name} has no ${key}`, { where: field, next: `add the key ${key}` });
    },
  };
}

/** A right that the service account lacks is a person's to give: asking again helps as little as with a Secret that is not there. */
async function findData(
  propagation: Propagation,
  client: KubeClient,
  { kind, name, field }: DataRef,
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  const { namespace = "" } = propagation.metadata;
  const acting = accountClient(propagation, client);
  try {
    return await acting.find({ apiVersion: "v1", kind, namespace, name }, signal);
  } catch (error) {
    const user = accountUser(propagation);
    if (!(error instanceof ApiError && error.isForbidden && error.message.includes(user))) throw error;
    const role = `read-${name}`;
    const resource = `${kind.toLowerCase()}s`;
    const account = user.split(":").slice(2).join(":");
    throw new InputError(`service account ${account} may not get ${kind} ${namespace}/${name}`, {
      where: field,
      next: `allow it: kubectl -n ${namespace} create role ${role} --verb=get --resource=${resource} --resource-name=${name}, then kubectl -n ${namespace} create rolebinding ${role} --role=${role} --serviceaccount=${account}`,
    });
  }
}

function forgeCredentials(given: ReadData): ForgeCredentials {
  const appId = given.get("app-id")?.trim();
  if (appId === undefined) return { kind: "token", token: new Secret(given.require("token").trim()) };
  return {
    kind: "app",
    appId,
    installationId: Number(given.require("installation-id")),
    privateKey: new Secret(given.require("private-key")),
  };
}

async function plainCredentials(
  given: ReadData,
  keep: (name: string, text: string) => Promise<string>,
): Promise<GitCredentials> {
  if (given.get("ssh-privatekey") === undefined) {
    const token = new Secret(given.require("token").trim());
    return { kind: "token", username: given.get("username")?.trim() ?? "tenon", token };
  }
  return {
    kind: "ssh",
    keyFile: await keep("ssh-key", given.require("ssh-privatekey")),
    knownHostsFile: await keep("known_hosts", given.require("known_hosts")),
  };
}
