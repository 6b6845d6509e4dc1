import { createHash } from "node:crypto";
import type { Secret } from "#base";
import type { SpaceRole } from "../kinds/space-binding.ts";
import type { ClassSettings } from "./class-settings.ts";

/** Identifies an environment: the uid of its claim, which no one can choose. */
export interface EnvironmentId {
  readonly uid: string;
}

export interface EnvironmentRequest extends EnvironmentId {
  /** `namespace/name`. */
  readonly claim: string;
  /** The namespace of the claim. */
  readonly tenant: string;
  readonly settings: ClassSettings;
  /** Secrets of the tenant for images, to copy. */
  readonly pullSecrets: readonly PullSecret[];
}

export interface PullSecret {
  readonly name: string;
  readonly type: string;
  /** In base64. */
  readonly data: Readonly<Record<string, string>>;
}

/** How an environment is reached. */
export interface EnvironmentAccess {
  readonly namespace: string;
  readonly server: string;
  /** PEM. */
  readonly certificateAuthority?: string;
  readonly token: Secret;
  /** Milliseconds since 1970. */
  readonly tokenExpiresAt: number;
}

export type ReleaseProgress =
  | { readonly kind: "gone" }
  /** It is being removed; the message says what is left. */
  | { readonly kind: "waiting"; readonly message: string };

/** The users of an environment beside its own account, by their role. */
export type SpaceUsers = Readonly<Partial<Record<SpaceRole, readonly string[]>>>;

/** An environment that exists, and the claim that it says it is for. */
export interface FoundEnvironment extends EnvironmentId {
  /** `namespace/name`. */
  readonly claim: string;
}

/** Makes environments of one kind. All of it may be done again after a kill at any point. */
export interface EnvironmentProvider {
  provision(request: EnvironmentRequest, signal: AbortSignal): Promise<EnvironmentAccess>;
  /** Whether the environment is there, and not about to go. */
  exists(id: EnvironmentId, signal: AbortSignal): Promise<boolean>;
  /** Another token; undefined if the environment is not there any more. */
  renew(id: EnvironmentId, settings: ClassSettings, signal: AbortSignal): Promise<EnvironmentAccess | undefined>;
  /** Gives these users their roles in the environment, and takes them from all others who were given one. */
  share(id: EnvironmentId, users: SpaceUsers, settings: ClassSettings, signal: AbortSignal): Promise<void>;
  /** First makes the token useless, then removes everything. */
  release(id: EnvironmentId, signal: AbortSignal): Promise<ReleaseProgress>;
  /** The environments of this installation. */
  list(signal: AbortSignal): Promise<readonly FoundEnvironment[]>;
}

/** The same name each time, so that a claim never gets a second environment. */
export function environmentName({ uid }: EnvironmentId): string {
  return `env-${createHash("sha256").update(uid).digest("hex").slice(0, 16)}`;
}
