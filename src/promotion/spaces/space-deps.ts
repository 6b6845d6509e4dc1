import type { Clock } from "#base";
import type { KubeClient, KubeObject, ObjectStore } from "#kube";
import type { ClassState } from "../environments/decide-end.ts";
import type { ClassSettings } from "../environments/class-settings.ts";
import type { EnvironmentProvider } from "../environments/environment-provider.ts";

export interface SpaceDeps {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly requests: Pick<ObjectStore, "get">;
  readonly bindings: Pick<ObjectStore, "byIndex">;
  /** Whether the kinds are Tenon's own, and not those of the operators. */
  readonly isServed: () => boolean;
  readonly claims: Pick<ObjectStore, "get">;
  readonly classes: Pick<ObjectStore, "get">;
  readonly classOf: (name: string) => ClassState;
  readonly providerOf: (settings: ClassSettings, signal: AbortSignal) => Promise<EnvironmentProvider>;
  readonly mayWrite: () => boolean;
}

/** SpaceBindings by their SpaceRequest, as `namespace/name`. */
export const bySpace = "space";

export function spaceKeysOf({ metadata: { namespace = "" }, spec }: KubeObject): string[] {
  const space = typeof spec === "object" && spec !== null && "space" in spec ? spec.space : undefined;
  return typeof space === "string" ? [`${namespace}/${space}`] : [];
}
