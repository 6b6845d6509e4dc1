import { existsSync } from "node:fs";
import { hostname, userInfo } from "node:os";
import { resolve } from "node:path";
import { type Clock, describeError } from "#base";
import {
  type DesiredOptions,
  type History,
  type HistoryContext,
  historyEntry,
  type ManagedRun,
  type Notifier,
  PushGateway,
  readPushGateway,
} from "#integrations";
import type { NotificationSettings } from "../control/tenon-config.ts";
import type { Shell } from "../shell.ts";
import { openNotifier } from "./open-notifier.ts";

export interface RunReportsOptions {
  /** Opened when there is something to record; without it, nothing is. */
  readonly history: () => Promise<History | undefined>;
  readonly notifications?: readonly NotificationSettings[] | undefined;
  /** The data, as in `--data`. */
  readonly location: string;
  readonly rollbackTo?: number | undefined;
  /** Who changes something; default: the pod, or the user and the machine. */
  readonly by?: string | undefined;
  readonly clock: Clock;
  readonly warn: (what: string, problem: string) => void;
  readonly shell: Shell;
}

/** What a process that ends waits for its last notifications. */
const farewellMs = 10_000;

/** What webhooks and metrics get about runs that have ended. A report that fails is a warning, and never a failure of the run. */
export class RunReports {
  readonly #options: RunReportsOptions;
  readonly #refs = new Map<string, string>();
  #notifier: Notifier | undefined;
  #gateway: PushGateway | undefined;
  #pushing: Promise<void> = Promise.resolve();

  constructor(options: RunReportsOptions) {
    this.#options = { ...options, location: nameLocation(options.location) };
  }

  /** Before the first run: what is configured wrongly is found before anything is changed. */
  async open(): Promise<void> {
    const { notifications = [], clock, warn, shell } = this.#options;
    const gateway = readPushGateway(shell.env);
    if (gateway) this.#gateway = new PushGateway(gateway);
    if (notifications.length > 0) this.#notifier = await openNotifier(notifications, { env: shell.env, clock, warn });
  }

  /** The options of a run, with an ear for the commits that its refs mean. */
  listen(desire: DesiredOptions): DesiredOptions {
    this.#refs.clear();
    return {
      ...desire,
      resolveRef: async (repository, ref, signal) => {
        const commit = await desire.resolveRef(repository, ref, signal);
        this.#refs.set(refKey(repository, ref), commit);
        return commit;
      },
    };
  }

  /** Waits only for the history: a webhook or a gateway that hangs delays no run. */
  readonly report = async (run: ManagedRun, signal: AbortSignal): Promise<void> => {
    const { location } = this.#options;
    this.#notifier?.tell(run, { by: this.#by, location });
    const gateway = this.#gateway;
    if (gateway) {
      const push = (): Promise<void> => this.#attempt("cannot push metrics", () => gateway.push(run, signal), signal);
      this.#pushing = this.#pushing.then(push);
    }
    await this.#attempt("cannot write the history", () => this.#record(run, signal), signal);
  };

  /** Sends what is left, for a short time. */
  async close(): Promise<void> {
    await Promise.all([this.#pushing, this.#notifier?.close(farewellMs)]);
  }

  get #by(): string {
    return this.#options.by ?? whoRuns(this.#options.shell.env);
  }

  async #record(run: ManagedRun, signal: AbortSignal): Promise<void> {
    const { location, rollbackTo, clock } = this.#options;
    const context: HistoryContext = {
      at: new Date(clock.now()),
      by: this.#by,
      location,
      refs: this.#refs,
      rollbackTo,
    };
    const entry = historyEntry(run, context);
    if (entry) await (await this.#options.history())?.add(entry, signal);
  }

  async #attempt(problem: string, report: () => Promise<void>, signal: AbortSignal): Promise<void> {
    try {
      await report();
    } catch (error) {
      if (!signal.aborted) this.#options.warn(problem, describeError(error));
    }
  }
}

/** Without a login, and from anywhere: the history is read elsewhere. */
export function nameLocation(location: string): string {
  if (existsSync(location)) return resolve(location);
  return location.replace(/^([a-z+]+:\/\/)[^/@]*@/, "$1");
}

/** How the history names what a ref of an image meant. */
export function refKey(repository: string, ref: string): string {
  return `${repository} ${ref}`;
}

/** The pod, or the user and the machine. */
export function whoRuns(env: NodeJS.ProcessEnv): string {
  if (env["POD_NAME"]) return env["POD_NAME"];
  return `${userName(env)}@${hostname()}`;
}

/** A container may run as a user without a name. */
function userName(env: NodeJS.ProcessEnv): string {
  try {
    return userInfo().username;
  } catch {
    return env["USER"] || "unknown";
  }
}
