import type { TrackedStatus } from "#runtime";
import type { Pair } from "../kinds/pair.ts";
import type { Plug } from "../kinds/plug.ts";
import type { CouplingDeps } from "./coupling-deps.ts";
import type { PlugMemory } from "./plug-memory.ts";
import type { HeldSecrets } from "./source-readers.ts";

/** A plug that is looked at, and what is known of it. */
export interface PlugLook {
  readonly key: string;
  readonly plug: Plug;
  readonly memory: PlugMemory;
  readonly status: TrackedStatus;
  readonly held: HeldSecrets;
}

/** A plug on its way to its socket. */
export interface Integration extends PlugLook {
  readonly pair: Pair;
}

/** Writes down how far it got, for whoever comes after us. */
export async function remember({ status }: Pick<PlugLook, "status">, { plugs }: CouplingDeps): Promise<void> {
  await status.write();
  plugs.note(status.object);
}
