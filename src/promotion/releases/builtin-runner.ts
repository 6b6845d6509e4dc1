import { describeError } from "#base";
import { keyOf, type KubeObject } from "#kube";
import { type ControllerSource, done, type Reconciler, Wakeups } from "#runtime";
import { builtinName, type PhaseParameter } from "./phase-pipeline.ts";
import type { PhaseProgress, PhaseRequest, PhaseRunner } from "./phase-runner.ts";

/** What a pipeline of Tenon's own is given. */
export interface BuiltinRequest {
  readonly namespace: string;
  /** The service account whose credentials it uses, in `namespace`. */
  readonly serviceAccountName: string;
  readonly release: KubeObject;
  readonly plan: KubeObject;
  readonly snapshot: KubeObject;
  readonly data: Readonly<Record<string, unknown>>;
  readonly params: readonly PhaseParameter[];
}

/** `failed`: a user must change something. */
export type BuiltinOutcome =
  | { readonly kind: "succeeded"; readonly artifacts: Readonly<Record<string, unknown>> }
  | { readonly kind: "failed"; readonly message: string };

/** A pipeline of Tenon's own. It may be run again after a kill; what may pass by itself is thrown. */
export type BuiltinPipeline = (request: BuiltinRequest, signal: AbortSignal) => Promise<BuiltinOutcome>;

/** The service account of builds, which may push to the repositories of the images. */
export const defaultAccount = "appstudio-pipeline";

/** The pipelines of Tenon's own. */
export const shippedBuiltins: readonly string[] = ["retag"];

interface BuiltinRun {
  request: PhaseRequest;
  outcome?: BuiltinOutcome;
  problem?: string;
}

/**
 * Runs pipelines of Tenon's own in this process. They have a controller of their own, so that a slow registry keeps no
 * Release waiting but its own; a run ends with the leadership, and the next leader runs it again.
 */
export class BuiltinRunner implements PhaseRunner {
  readonly #pipelines: ReadonlyMap<string, BuiltinPipeline>;
  /** By the key of the Release. */
  readonly #runs = new Map<string, BuiltinRun>();
  readonly #requested = new Wakeups();
  readonly #concluded: Wakeups;

  /** `concluded` wakes the controller that asks for progress. */
  constructor(pipelines: ReadonlyMap<string, BuiltinPipeline>, concluded: Wakeups) {
    this.#pipelines = pipelines;
    this.#concluded = concluded;
  }

  /** The Releases with something to run, for the controller of `reconcile`; one that starts later finds them too. */
  get source(): ControllerSource {
    const releases = (): KubeObject[] => [...this.#runs.values()].map(({ request }) => request.release);
    const { reflector } = this.#requested.source;
    return { reflector: { ...reflector, store: { ...reflector.store, list: releases } } };
  }

  readonly reconcile: Reconciler = async (key, signal) => {
    const run = this.#runs.get(key);
    if (!run || run.outcome) return done;
    const { request } = run;
    try {
      const outcome = await this.#execute(request, signal);
      if (this.#runs.get(key) === run) run.outcome = outcome;
    } catch (error) {
      run.problem = `Tenon retries, because: ${describeError(error)}`;
      throw error;
    } finally {
      this.#concluded.wake(key);
    }
    return done;
  };

  async #execute(request: PhaseRequest, signal: AbortSignal): Promise<BuiltinOutcome> {
    const { pipeline, namespace, release, plan, snapshot, data } = request;
    const name = builtinName(pipeline) ?? "";
    const execute = this.#pipelines.get(name);
    if (!execute) {
      const known = [...this.#pipelines.keys()].join(", ");
      return { kind: "failed", message: `builtin pipeline ${JSON.stringify(name)} not found; use one of ${known}` };
    }
    const { serviceAccountName = defaultAccount, params } = pipeline;
    return await execute({ namespace, serviceAccountName, release, plan, snapshot, data, params }, signal);
  }

  async advance(request: PhaseRequest): Promise<PhaseProgress> {
    const key = keyOf(request.release);
    const known = this.#runs.get(key);
    const isSame = known && identityOf(known.request) === identityOf(request);
    if (isSame && known.outcome) {
      this.#runs.delete(key);
      return known.outcome;
    }
    if (isSame) {
      known.request = request;
      return { kind: "running", ...(known.problem === undefined ? {} : { message: known.problem }) };
    }
    this.#runs.set(key, { request });
    this.#requested.wake(key);
    return { kind: "running" };
  }

  async conclude(release: KubeObject): Promise<void> {
    this.#runs.delete(keyOf(release));
  }

  async remove(release: KubeObject): Promise<void> {
    this.#runs.delete(keyOf(release));
  }
}

function identityOf({ release, phase }: PhaseRequest): string {
  return `${release.metadata.uid ?? ""}/${phase}`;
}
