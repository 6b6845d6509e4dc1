import { type Clock, describeError, type Logger } from "#base";
import { keyOf, type KubeClient, type KubeObject, type ObjectStore } from "#kube";
import { openRegistries, type RegistrySettings } from "#oci";
import { done, type Reconciler, requeueAfter, type Wakeups } from "#runtime";
import { byApplication } from "../builds/build-reconciler.ts";
import { currentCandidate } from "../builds/candidate-list.ts";
import { byTenant, indexByOwner } from "../promotion-sources.ts";
import { actAs, readAccountCredentials } from "../retag/account-secrets.ts";
import { defaultAccount } from "./builtin-runner.ts";
import { findExpiry } from "./find-expiry.ts";
import type { ExpiringImage } from "./judge-plan.ts";
import { readPipeline } from "./phase-pipeline.ts";
import { specOf } from "./release-state.ts";

interface CandidateImagesDeps {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
  /** Indexed by namespace. */
  readonly plans: Pick<ObjectStore, "get" | "byIndex">;
  /** Indexed by Application. */
  readonly components: Pick<ObjectStore, "byIndex">;
  readonly settings: Pick<RegistrySettings, "plainHttp" | "certificateAuthority" | "random">;
}

type ImageAnswer =
  | { readonly kind: "kept" }
  | { readonly kind: "expiring"; readonly expiry: ExpiringImage }
  | { readonly kind: "unanswered" };

interface SeenImage {
  readonly answer: ImageAnswer;
  /** When the answer may be another one; never for an image that is there. */
  readonly againAt: number | undefined;
}

interface SeenPlan {
  readonly account: string;
  readonly images: ReadonlyMap<string, SeenImage>;
}

const againMs = 10 * 60_000;

/**
 * Looks at the images that plans would release next, with the credentials of the service account that would release them, read
 * as that account. An image that is there is looked at once for each account; one that is gone, or whose registry does not
 * answer, is looked at again later.
 */
export class CandidateImages {
  readonly #deps: CandidateImagesDeps;
  readonly #seen: Wakeups;
  /** By the key of the plan. */
  readonly #plans = new Map<string, SeenPlan>();

  /** `seen` wakes the controller that asks what was found. */
  constructor(deps: CandidateImagesDeps, seen: Wakeups) {
    this.#deps = deps;
    this.#seen = seen;
  }

  /** Undefined until all images of the plan were looked at. */
  expiringOf(plan: KubeObject): readonly ExpiringImage[] | undefined {
    const { account, images } = this.#candidatesOf(plan);
    if (images.length === 0) return [];
    const seen = this.#plans.get(keyOf(plan));
    if (seen?.account !== account) return undefined;
    const answers = images.map((image) => seen.images.get(image)?.answer);
    if (answers.includes(undefined)) return undefined;
    return answers.flatMap((answer) => (answer?.kind === "expiring" ? [answer.expiry] : []));
  }

  readonly reconcile: Reconciler = async (key, signal) => {
    const plan = this.#deps.plans.get(key);
    if (!plan) {
      this.#plans.delete(key);
      return done;
    }
    const now = this.#deps.clock.now();
    const { account, images } = this.#candidatesOf(plan);
    const known = this.#knownTo(account, plan);
    const kept = new Map(
      images.flatMap((image) => {
        const before = known.get(image);
        return before && (before.againAt ?? Infinity) > now ? [[image, before] as const] : [];
      }),
    );
    const missing = images.filter((image) => !kept.has(image));
    const found = missing.length === 0 ? [] : await this.#look(missing, account, plan, signal);
    const seen = new Map([...kept, ...found]);
    this.#plans.set(key, { account, images: seen });
    if (images.length > 0) this.#seen.wake(key);
    const next = Math.min(...[...seen.values()].map(({ againAt }) => againAt ?? Infinity));
    return Number.isFinite(next) ? requeueAfter(Math.max(next - now, 1)) : done;
  };

  /** Of a plan with a pipeline of its own: a tenant must not learn what other namespaces can read. */
  #candidatesOf(plan: KubeObject): { readonly account: string; readonly images: readonly string[] } {
    const pipeline = readPipeline(specOf(plan)["tenantPipeline"]);
    const account = pipeline?.serviceAccountName ?? defaultAccount;
    if (!pipeline || plan.metadata.deletionTimestamp !== undefined) return { account, images: [] };
    const images = indexByOwner(plan)
      .flatMap((application) => this.#deps.components.byIndex(byApplication, application))
      .flatMap((component) => currentCandidate(component).image ?? []);
    return { account, images: [...new Set(images)].toSorted() };
  }

  /** What was found for all plans of the namespace that release as the same account. */
  #knownTo(account: string, { metadata: { namespace = "" } }: KubeObject): ReadonlyMap<string, SeenImage> {
    const seen = this.#deps.plans.byIndex(byTenant, namespace).map((plan) => this.#plans.get(keyOf(plan)));
    return new Map(seen.flatMap((each) => (each?.account === account ? Array.from(each.images) : [])));
  }

  async #look(
    images: readonly string[],
    account: string,
    plan: KubeObject,
    signal: AbortSignal,
  ): Promise<readonly (readonly [string, SeenImage])[]> {
    const { client, clock, log, settings } = this.#deps;
    const againAt = clock.now() + againMs;
    const unanswered = (image: string, error: unknown): readonly [string, SeenImage] => {
      signal.throwIfAborted();
      log.debug("cannot look at an image", { plan: keyOf(plan), image, error: describeError(error) });
      return [image, { answer: { kind: "unanswered" }, againAt }];
    };
    try {
      const acting = actAs(client, plan.metadata.namespace ?? "", account);
      const credentials = await readAccountCredentials(acting, signal);
      await using registries = openRegistries({ ...settings, credentials, clock });
      const found: (readonly [string, SeenImage])[] = [];
      for (const image of images) {
        found.push(
          await findExpiry(image, registries, signal).then(
            (expiry): readonly [string, SeenImage] => {
              if (!expiry) return [image, { answer: { kind: "kept" }, againAt: undefined }];
              const isGone = expiry.after === undefined;
              return [image, { answer: { kind: "expiring", expiry }, againAt: isGone ? againAt : undefined }];
            },
            (error: unknown) => unanswered(image, error),
          ),
        );
      }
      return found;
    } catch (error) {
      return images.map((image) => unanswered(image, error));
    }
  }
}
