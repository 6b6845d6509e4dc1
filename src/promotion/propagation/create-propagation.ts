import { type Clock, type Logger, type Metrics, valueAt } from "#base";
import { keyOf, type KubeClient, type KubeObject } from "#kube";
import { formatRepository, openRegistries, parseImageReference } from "#oci";
import {
  type Controller,
  type ControllerSource,
  createController,
  createOptionalReflector,
  filterChanges,
  FreshStore,
  userChanges,
  Wakeups,
} from "#runtime";
import { Propagation } from "../kinds/propagation.ts";
import { Release } from "../kinds/release.ts";
import { LookSchedule } from "./look-schedule.ts";
import { propagationMetrics } from "./propagation-metrics.ts";
import { propagationReconciler } from "./propagation-reconciler.ts";
import { createSourceReader } from "./read-source.ts";
import { succeededPlan } from "./released-images.ts";

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
  /** Releases, if another part of the process watches them too. */
  readonly releases?: ControllerSource["reflector"];
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

  const releases =
    options.releases ??
    createOptionalReflector({
      ...shared,
      definition: Release.crdName,
      selection: { apiVersion: Release.apiVersion, kind: Release.kind, namespace },
    });

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
      readSource: createSourceReader({ client, clock, random, plainHttp, anonymous }),
      mayWrite: options.mayWrite ?? (() => true),
    }),
    concurrency,
    // What failed is mostly the network, a registry or a forge.
    backoff: { baseMs: 1_000, capMs: 10 * 60_000 },
    sources: [
      { reflector: propagations, keysOf: () => [] },
      { reflector: filterChanges(propagations, userChanges) },
      { reflector: releases, keysOf: () => [] },
      {
        reflector: filterChanges(releases, succeededPlan),
        keysOf: (release) => followersOf(release, propagations.store),
      },
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

/** The keys of Propagations that follow the plan of a Release that succeeded. */
function followersOf(release: KubeObject, propagations: ControllerSource["reflector"]["store"]): string[] {
  const plan = succeededPlan(release);
  if (plan === undefined) return [];
  const follows = ({ metadata, spec }: KubeObject) =>
    metadata.namespace === release.metadata.namespace && valueAt(spec, ["source", "releasePlan", "name"]) === plan;
  return propagations.list().filter(follows).map(keyOf);
}

function toRepository(image: string): { readonly repository: string } {
  return { repository: image.slice(0, image.lastIndexOf(":")) };
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
  const images = source.images ?? Object.keys(propagation.status?.advertised?.digests ?? {}).map(toRepository);
  return images.some(({ repository }) => {
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
