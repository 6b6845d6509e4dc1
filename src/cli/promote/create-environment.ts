import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { CommandFailed, InputError, isRecord, systemClock } from "#base";
import { ApiError, describeRef, keyOf, type KubeClient, type KubeObject, type OwnerReference, refOf } from "#kube";
import { parseObjectKey } from "../couple/object-name.ts";
import { requireCoupledKinds, withClient } from "../couple/with-client.ts";
import type { ClusterChoice } from "../shared-options.ts";
import type { Shell } from "../shell.ts";
import { safeText } from "../terminal/visible-text.ts";
import type { RequestKind } from "./environment-commands.ts";
import {
  wasMadeForRun,
  kindsOfRequest,
  parseOwner,
  refOfRequest,
  type RequestedEnvironment,
  specOfRequest,
  viewRequest,
} from "./requested-environment.ts";

export interface CreateEnvironmentChoice extends ClusterChoice {
  readonly namespace?: string;
  readonly class: string;
  readonly ttl?: string;
  readonly to?: string;
  readonly kind: RequestKind;
  readonly owner?: string;
  readonly secretRef?: string;
}

const pauseMs = 250;

/** `tenon promote env create` */
export async function createEnvironment(
  name: string | undefined,
  choice: CreateEnvironmentChoice,
  shell: Shell,
): Promise<void> {
  await withClient(choice, shell, async (client, ownNamespace) => {
    await requireCoupledKinds(client, shell.signal, kindsOfRequest(choice.kind));
    const say = (line: string) => shell.stdout.write(`${safeText(line)}\n`);
    const key = parseObjectKey(name ?? `env-${randomBytes(3).toString("hex")}`, choice.namespace ?? ownNamespace);
    const { kind, ttl } = choice;
    const { apiVersion } = refOfRequest(kind, key);
    const owner = choice.owner === undefined ? undefined : parseOwner(choice.owner);
    const metadata = { ...key, ...(owner ? { ownerReferences: [owner] } : {}) };
    const spec = specOfRequest(kind, { className: choice.class, ttl });
    const made = await createOrFind({ apiVersion, kind, metadata, spec }, owner, client, shell.signal);
    say(`${kind} ${keyOf(made)} created`);
    const view = await untilUsable(made, client, say, shell.signal);
    const secret = { namespace: key.namespace, name: view.secret ?? "" };
    const end = view.expiresAt === undefined ? "" : `; it ends at ${view.expiresAt}`;
    say(`environment ${view.environment ?? ""} is ready${end}`);
    if (choice.secretRef !== undefined) await writeFile(choice.secretRef, secret.name);
    if (choice.to === undefined) {
      say(`its kubeconfig is in Secret ${secret.namespace}/${secret.name}, key kubeconfig`);
    } else {
      await writeFile(choice.to, await readKubeconfig(secret, client, shell.signal), { mode: 0o600 });
      say(`its kubeconfig is in ${choice.to}`);
    }
    const options = kind === "SpaceRequest" ? " --kind SpaceRequest" : "";
    say(`next: tenon promote env delete ${keyOf(made)}${options}`);
  });
}

/** A task that is tried again finds what it made before, and no one else's. */
async function createOrFind(
  object: KubeObject,
  owner: OwnerReference | undefined,
  client: KubeClient,
  signal: AbortSignal,
): Promise<KubeObject> {
  try {
    return await client.create(object, {}, signal);
  } catch (error) {
    const found =
      error instanceof ApiError && error.isAlreadyExists ? await client.find(refOf(object), signal) : undefined;
    if (found && wasMadeForRun(found, owner)) return found;
    throw error;
  }
}

/** Says why it waits, each time that changes. */
async function untilUsable(
  made: KubeObject,
  client: KubeClient,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<RequestedEnvironment> {
  let said: string | undefined;
  for (;;) {
    const found = await client.find(refOf(made), signal);
    if (!found || found.metadata.uid !== made.metadata.uid) {
      throw new CommandFailed("it was deleted before its environment was ready", {
        where: describeRef(refOf(made)),
      });
    }
    const view = viewRequest(found);
    const { state, message } = view;
    if (state === "usable") return view;
    if (state === "ended") {
      throw new CommandFailed(message ?? "the environment ended before it was ready", {
        where: describeRef(refOf(made)),
      });
    }
    if (message !== undefined && message !== said) say(`waiting: ${message}`);
    said = message;
    await systemClock.sleep(pauseMs, signal);
  }
}

async function readKubeconfig(
  secret: { readonly namespace: string; readonly name: string },
  client: KubeClient,
  signal: AbortSignal,
) {
  const ref = { apiVersion: "v1", kind: "Secret", ...secret };
  const { data } = await client.get(ref, signal);
  const text = isRecord(data) ? data["kubeconfig"] : undefined;
  if (typeof text !== "string") throw new InputError(`${describeRef(ref)} has no key kubeconfig`);
  return Buffer.from(text, "base64");
}
