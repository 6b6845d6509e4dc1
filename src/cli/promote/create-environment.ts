import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { CommandFailed, InputError, isRecord, systemClock } from "#base";
import { describeRef, keyOf, type KubeClient, type KubeObject, refOf } from "#kube";
import { EphemeralClaim, EphemeralClass } from "#promotion";
import { parseObjectKey } from "../couple/object-name.ts";
import { requireCoupledKinds, withClient } from "../couple/with-client.ts";
import type { ClusterChoice } from "../shared-options.ts";
import type { Shell } from "../shell.ts";
import { safeText } from "../terminal/visible-text.ts";
import { type ClaimView, viewClaim } from "./claim-view.ts";

export interface CreateEnvironmentChoice extends ClusterChoice {
  readonly namespace?: string;
  readonly class: string;
  readonly ttl?: string;
  readonly to?: string;
}

const pauseMs = 250;

/** `tenon promote env create` */
export async function createEnvironment(
  name: string | undefined,
  choice: CreateEnvironmentChoice,
  shell: Shell,
): Promise<void> {
  await withClient(choice, shell, async (client, ownNamespace) => {
    await requireCoupledKinds(client, shell.signal, [EphemeralClass, EphemeralClaim]);
    const say = (line: string) => shell.stdout.write(`${safeText(line)}\n`);
    const key = parseObjectKey(name ?? `env-${randomBytes(3).toString("hex")}`, choice.namespace ?? ownNamespace);
    const { apiVersion, kind } = EphemeralClaim;
    const { ttl } = choice;
    const made = await client.create(
      {
        apiVersion,
        kind,
        metadata: key,
        spec: { className: choice.class, ...(ttl === undefined ? {} : { ttl }) },
      },
      {},
      shell.signal,
    );
    say(`EphemeralClaim ${keyOf(made)} created`);
    const view = await untilUsable(made, client, say, shell.signal);
    say(`environment ${view.environment ?? ""} is ready; it ends at ${view.expiresAt ?? "an unknown time"}`);
    if (choice.to === undefined) {
      say(`its kubeconfig is in Secret ${view.namespace}/${view.secret ?? ""}, key kubeconfig`);
    } else {
      await writeFile(choice.to, await readKubeconfig(view, client, shell.signal), { mode: 0o600 });
      say(`its kubeconfig is in ${choice.to}`);
    }
    say(`next: tenon promote env delete ${keyOf(made)}`);
  });
}

/** Says why it waits, each time that changes. */
async function untilUsable(
  made: KubeObject,
  client: KubeClient,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<ClaimView> {
  let said: string | undefined;
  for (;;) {
    const found = await client.find(refOf(made), signal);
    if (!found || found.metadata.uid !== made.metadata.uid) {
      throw new CommandFailed("the claim was deleted before its environment was ready", {
        where: describeRef(refOf(made)),
      });
    }
    const view = viewClaim(found);
    if (view.phase === "Ready") return view;
    const message = view.message ?? view.next;
    if (view.phase === "Failed" || view.phase === "Released") {
      throw new CommandFailed(message ?? "the environment ended before it was ready", {
        where: describeRef(refOf(made)),
      });
    }
    if (message !== undefined && message !== said) say(`waiting: ${message}`);
    said = message;
    await systemClock.sleep(pauseMs, signal);
  }
}

async function readKubeconfig({ namespace, secret = "" }: ClaimView, client: KubeClient, signal: AbortSignal) {
  const ref = { apiVersion: "v1", kind: "Secret", namespace, name: secret };
  const { data } = await client.get(ref, signal);
  const text = isRecord(data) ? data["kubeconfig"] : undefined;
  if (typeof text !== "string") throw new InputError(`${describeRef(ref)} has no key kubeconfig`);
  return Buffer.from(text, "base64");
}
