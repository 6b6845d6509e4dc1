import type { Clock, Logger, Metrics } from "#base";
import { keyOf, type KubeClient, type KubeObject } from "#kube";
import { formatRepository, openRegistries, parseImageReference, type Registries } from "#oci";
import {
  type Controller,
  createController,
  createOptionalReflector,
  filterChanges,
  FreshStore,
  userChanges,
  Wakeups,
} from "#runtime";
import { Propagation } from "../kinds/propagation.ts";
import { LookSchedule } from "./look-schedule.ts";
import { readAdvertised } from "./plan-propagation.ts";
import { propagationMetrics } from "./propagation-metrics.ts";
import { propagationReconciler } from "./propagation-reconciler.ts";
import { readRegistryCredentials } from "./stage-access.ts";

export interface PropagationOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly metrics?: Metrics;
  /** A directory for copies of git repositories. */
  readonly cache: string;
  /** Only Propagations of this namespace; default all. */
  readonly namespace?: string | undefined;
  /** Registries, with their ports, that have no TLS. */
  readonly plainHttp?: readonly string[];
  readonly concurrency?: number;
  readonly mayWrite?: () => boolean;
}

/** What a webhook says has changed: the address of a git repository, or the name of an image's repository. */
export interface ChangeHint {
  readonly kind: "git" | "image";
  readonly names: readonly string[];
}

/** The controller of Propagations, for `runControllers`. */
export interface PropagationController extends AsyncDisposable {
  readonly controllers: readonly Controller[];
  /** Looks at once at the Propagations that a hint may concern, and returns how many they are. */
  wake(hint: ChangeHint): number;
}

export function createPropagation(options: PropagationOptions): PropagationController {
  const { client, clock, random, log, metrics, namespace, cache, plainHttp = [], concurrency = 4 } = options;
  const shared = { client, clock, random, log, ...(metrics ? { metrics } : {}) };
  const { crdName, apiVersion, kind } = Propagation;
  const propagations = createOptionalReflector({
    ...shared,
    definition: crdName,
    selection: { apiVersion, kind, namespace },
  });
  const wakeups = new Wakeups();
  const looks = new LookSchedule(clock, random);
  // Without credentials, all Propagations share connections.
  const anonymous = openRegistries({ plainHttp, clock, random });

  async function readSource(propagation: Propagation, signal: AbortSignal) {
    const credentials = await readRegistryCredentials(propagation, client, signal);
    if (!credentials) return readAdvertised(propagation.spec.source, anonymous, signal);
    await using registries: Registries = openRegistries({ credentials, plainHttp, clock, random });
    return await readAdvertised(propagation.spec.source, registries, signal);
  }

  const controller = createController({
    ...shared,
    name: "propagations",
    reconcile: propagationReconciler({
      client,
      clock,
      random,
      log,
      metrics: propagationMetrics(metrics),
      propagations: new FreshStore(propagations),
      looks,
      cache,
      readSource,
      mayWrite: options.mayWrite ?? (() => true),
    }),
    concurrency,
    // What failed is mostly the network, a registry or a forge.
    backoff: { baseMs: 1_000, capMs: 10 * 60_000 },
    sources: [
      { reflector: propagations, keysOf: () => [] },
      { reflector: filterChanges(propagations, userChanges) },
      wakeups.source,
    ],
  });

  return {
    controllers: [controller],
    wake(hint) {
      const keys = propagations.store
        .list()
        .filter((object) => isConcerned(object, hint))
        .map(keyOf);
      for (const key of keys) {
        looks.force(key);
        wakeups.wake(key);
      }
      return keys.length;
    },
    [Symbol.asyncDispose]: () => anonymous[Symbol.asyncDispose](),
  };
}

/** A hint only makes Tenon look: it may concern too many, and must not miss one. */
function isConcerned(object: KubeObject, { kind, names }: ChangeHint): boolean {
  let propagation: Propagation;
  try {
    propagation = Propagation.parse(object);
  } catch {
    return false; // its reconcile reports the error
  }
  const { source, stages } = propagation.spec;
  if (kind === "git") {
    const hinted = new Set(names.map(repositoryPath));
    return stages.some(({ repository }) => hinted.has(repositoryPath(repository)));
  }
  const hinted = names.map((name) => formatName(name));
  return source.images.some(({ repository }) => {
    const full = formatName(repository);
    return hinted.some((name) => full === name || full.endsWith(`/${name}`));
  });
}

/** `owner/name` of any address of a repository, because a forge is reached under several hosts. */
function repositoryPath(address: string): string {
  const path = address.replace(/^[a-z+]+:\/\/[^/]+\//, "").replace(/^[\w.-]+@[\w.-]+:/, "");
  return path
    .replace(/\/+$/, "")
    .replace(/\.git$/, "")
    .toLowerCase();
}

/** Registries name a repository with or without their host. */
function formatName(name: string): string {
  const [first = ""] = name.split("/");
  if (!/[.:]|^localhost$/.test(first)) return name;
  try {
    return formatRepository(parseImageReference(`${name}:any`));
  } catch {
    return name;
  }
}
