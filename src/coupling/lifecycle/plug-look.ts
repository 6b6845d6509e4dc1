import type { HeldSecrets } from "#base";
import type { KubeObject } from "#kube";
import { type TrackedStatus, trackStatus } from "#runtime";
import type { Pair } from "../kinds/pair.ts";
import type { Plug } from "../kinds/plug.ts";
import type { CouplingDeps } from "./coupling-deps.ts";
import type { Latest } from "./latest.ts";
import type { PlugMemory } from "./plug-memory.ts";

/** A plug that is looked at, and what is known of it. */
export interface PlugLook {
  readonly key: string;
  readonly plug: Plug;
  readonly memory: PlugMemory;
  readonly status: TrackedStatus;
  /** What is secret in this look. */
  readonly held: HeldSecrets;
}

/** A plug that failed, or that waits for an apparatus. */
export interface FailedLook {
  readonly object: KubeObject;
  readonly status: TrackedStatus;
  /** Undefined: what failed is reading the object. */
  readonly memory: PlugMemory | undefined;
  /** Whether `created` is done, after which `Coupled` has something to say. */
  readonly isCreated: boolean;
}

/** A plug on its way to its socket. */
export interface Integration extends PlugLook {
  readonly pair: Pair;
}

/** A write may wait in line behind those of many other plugs; who gave up early would only wait again. */
const timeoutMs = 60_000;

/** What there is to say of a plug or a socket. */
export function statusOf(
  object: KubeObject,
  { client, clock, mayWrite, secrets }: Pick<CouplingDeps, "client" | "clock" | "mayWrite" | "secrets">,
): TrackedStatus {
  const redact = secrets.redactFor(object.metadata.uid ?? "");
  return trackStatus(object, client, { clock, mayWrite, timeoutMs, redact });
}

/**
 * Writes down how far it got, for whoever comes after us. Throws if that is not written, so that nothing is made of which nobody
 * would know. The object may be gone, in spite of its finalizer: the API server looks for finalizers once, and then deletes whatever version
 * there is, also one that has got a finalizer in between.
 */
export async function remember(status: TrackedStatus, objects: Latest): Promise<void> {
  await noteStatus(status, objects);
  if (status.isGone) throw new Error("the object has vanished");
  if (status.isWithheld) throw new Error("somebody else speaks for the object now");
}

/** Writes the status. What is gone is not noted: it would seem to be there. */
export async function noteStatus(status: TrackedStatus, objects: Latest): Promise<void> {
  await status.write();
  if (!status.isGone) objects.note(status.object);
}
