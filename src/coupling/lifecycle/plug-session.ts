import { type Clock, HeldSecrets, type Redact } from "#base";
import { isNewerVersion, keyOf, type KubeObject } from "#kube";
import { ConfigAnswers, type StageResult } from "../apparatus/calls/apparatus-answers.ts";
import type { Waiter } from "../apparatus/calls/apparatus-client.ts";
import { annotations, type Plug, type Side } from "../kinds/index.ts";
import type { CouplingDeps } from "./coupling-deps.ts";
import { ObjectCare } from "./object-care.ts";
import { UpdateLoop } from "./update-loop.ts";

interface SessionOptions {
  /** An apparatus has answered. */
  readonly resume: (key: string) => void;
  readonly clock: Pick<Clock, "monotonic">;
}

const none = {};

/** What the process keeps about one plug, beside what the plug's status records. A restart loses nothing but time. */
export class PlugSession {
  /** `namespace/name`. */
  readonly key: string;
  readonly uid: string;
  /** The secrets of the plug's attempts, masked in texts that its tenant can read. */
  readonly secrets = new HeldSecrets();
  /** The answers of apparatuses to `/config`. */
  readonly answers = new ConfigAnswers();
  /** The last results of apparatuses, as far as they were read since the start. */
  readonly results = new Map<Side, StageResult>();
  readonly loop: UpdateLoop;
  /** Fingerprints of what the inputs gave that the coupling writes itself, at the last update and at the last delivery of results. */
  ownValues: Readonly<Partial<Record<"inputs" | "results", readonly string[]>>> = none;
  readonly care: ObjectCare;
  /** The same for the workloads that have the binding. */
  readonly projection: ObjectCare;
  /** The version of each Secret that is promised to the plug, as it was last written or found right; by `namespace/name`. */
  readonly #promised = new Map<string, string>();
  readonly #resume: (key: string) => void;

  constructor(key: string, uid: string, { resume, clock }: SessionOptions) {
    this.key = key;
    this.uid = uid;
    this.loop = new UpdateLoop(clock);
    this.care = new ObjectCare(clock);
    this.projection = new ObjectCare(clock);
    this.#resume = resume;
  }

  readonly redact: Redact = (text) => this.secrets.redact(text);

  /** Records that a promised Secret is right in this version. */
  notePromised(secret: KubeObject): void {
    this.#promised.set(keyOf(secret), secret.metadata.resourceVersion ?? "");
  }

  /** Whether a promised Secret is unchanged since it was right, as far as the version tells; undefined if it was not read yet. */
  isPromiseKept(secret: KubeObject): boolean | undefined {
    const known = this.#promised.get(keyOf(secret));
    return known === undefined ? undefined : !isNewerVersion(secret.metadata.resourceVersion ?? "", known);
  }

  /** The plug, as it waits for an apparatus. */
  waiter({ metadata }: Plug): Waiter {
    const { uid, redact } = this;
    return { uid, redact, retry: metadata.annotations?.[annotations.retry], wake: () => this.#resume(this.key) };
  }
}

/** The sessions of all plugs that were reconciled since the start and still exist. */
export class PlugSessions {
  readonly #sessions = new Map<string, PlugSession>();
  readonly #options: SessionOptions;

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  find(key: string): PlugSession | undefined {
    return this.#sessions.get(key);
  }

  open(key: string, uid: string): PlugSession {
    const session = this.#sessions.get(key) ?? new PlugSession(key, uid, this.#options);
    this.#sessions.set(key, session);
    return session;
  }

  /** Masks the secrets of a plug in texts about it. */
  redactFor(object: KubeObject): Redact {
    const session = this.#sessions.get(keyOf(object));
    return session && session.uid === object.metadata.uid ? session.redact : unchanged;
  }

  /** Everything that is kept about a plug, here and by what all plugs share. */
  async forget(
    key: string,
    { inputs, roster, claims, apparatus }: Pick<CouplingDeps, "inputs" | "roster" | "claims" | "apparatus">,
  ): Promise<void> {
    const session = this.#sessions.get(key);
    this.#sessions.delete(key);
    inputs.watches.forget(key);
    roster.stopWaiting(key);
    if (!session) return;
    claims.release(session.uid);
    apparatus.forget(session.uid);
    await roster.drop(session.uid);
  }
}

/** For texts about a socket, whose own stages read no secrets. */
export const unchanged: Redact = (text) => text;
