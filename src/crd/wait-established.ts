import { type Clock, InputError } from "#base";
import type { CrdApi } from "./crd-api.ts";
import type { CustomResourceDefinition } from "./custom-resource-definition.ts";
import { type LiveCondition, type LiveDefinition, readLiveDefinition, refOf } from "./live-definition.ts";

const firstPause = 20;
const longestPause = 1000;

export interface WaitOptions {
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/** Until the API server serves the kind. */
export async function waitEstablished(
  api: CrdApi,
  definition: CustomResourceDefinition,
  first: LiveDefinition,
  { clock, timeoutMs, signal }: WaitOptions,
): Promise<void> {
  const end = clock.monotonic() + timeoutMs;
  const where = `CustomResourceDefinition ${definition.metadata.name}`;
  let live: LiveDefinition | undefined = first;
  for (let pause = firstPause; !isEstablished(live, where); pause = Math.min(pause * 2, longestPause)) {
    const left = end - clock.monotonic();
    if (left <= 0) throw new Error(`${where}: not Established after ${timeoutMs / 1000} s; ${lastSeen(live)}`);
    await clock.sleep(Math.min(pause, left), signal);
    const found = await api.find(refOf(definition), signal);
    live = found === undefined ? undefined : readLiveDefinition(found);
  }
}

function isEstablished(live: LiveDefinition | undefined, where: string): boolean {
  const accepted = conditionOf(live, "NamesAccepted");
  if (accepted?.status === "False") {
    throw new InputError(`the API server does not accept its names: ${accepted.message} (${accepted.reason})`, {
      where,
      next: "choose other names, or delete the definition that has them",
    });
  }
  return accepted?.status === "True" && conditionOf(live, "Established")?.status === "True";
}

function conditionOf(live: LiveDefinition | undefined, type: string): LiveCondition | undefined {
  return live?.status.conditions.find((condition) => condition.type === type);
}

function lastSeen(live: LiveDefinition | undefined): string {
  if (!live) return "it was deleted meanwhile";
  const states = ["NamesAccepted", "Established"].map((type) => {
    const condition = conditionOf(live, type);
    return condition
      ? `${type} is ${condition.status} (${condition.reason}: ${condition.message})`
      : `${type} is not set`;
  });
  return `last seen: ${states.join(", ")}`;
}
