import { type Clock, InputError, redact, Semaphore } from "#base";
import type { KubeObject } from "#kube";
import {
  copyImage,
  describeTagMoveReason,
  formatImageReference,
  formatRepository,
  type ImageFacts,
  openRegistries,
  planTagMove,
  readImageFacts,
  type Registries,
  type RegistryCredentials,
  RegistryError,
  type RegistrySettings,
  resolveDigest,
  retag,
  type TagMove,
  type TagOutcome,
  type TagRequest,
} from "#oci";
import { type ActingAccount, readAccountCredentials } from "./account-secrets.ts";
import { newerDigests } from "./newer-digests.ts";
import { listProblems, planReleaseTags, type RepositoryTags } from "./plan-release-tags.ts";
import { type ReleaseArtifacts, releaseArtifacts, type TaggedRepository } from "./release-artifacts.ts";
import { mapComponents, type MappedComponent, readComponents } from "./release-mapping.ts";
import { readReleaseKeys, readReleaseVerification, refuseWeakening, requireVerified } from "./release-verification.ts";
import type { RepositoryLocks } from "./repository-locks.ts";
import type { RetagMetrics } from "./retag-metrics.ts";
import { tagsIn } from "./tags-in.ts";

export interface RetagRequest {
  /** Of the service account. */
  readonly namespace: string;
  /** Its credentials are used, read as that account. */
  readonly serviceAccountName: string;
  readonly release: KubeObject;
  readonly plan: KubeObject;
  readonly snapshot: KubeObject;
  /** Of the Release, its plan and its admission, merged. */
  readonly data: Readonly<Record<string, unknown>>;
  /** Of the pipeline; `tags` is a list separated by commas, for all components. */
  readonly params: readonly { readonly name: string; readonly value: string }[];
  /** Only decides. */
  readonly isDryRun?: boolean;
}

/** `failed`: a user must change something. */
export type RetagOutcome =
  | {
      readonly kind: "succeeded";
      readonly artifacts: ReleaseArtifacts;
      /** What became of each tag. */
      readonly tagged: readonly TaggedRepository[];
    }
  | { readonly kind: "failed"; readonly message: string };

export interface RetagDeps {
  readonly clock: Clock;
  readonly metrics: RetagMetrics;
  readonly actAs: (namespace: string, name: string) => ActingAccount;
  /** Instead of those of the service account. */
  readonly credentials?: RegistryCredentials | undefined;
  readonly settings?: Pick<RegistrySettings, "plainHttp" | "certificateAuthority" | "random">;
  /** All Snapshots of a namespace: they say which image is newer. */
  readonly snapshotsIn: (
    namespace: string,
    signal: AbortSignal,
  ) => Iterable<KubeObject> | Promise<Iterable<KubeObject>>;
  /** Shared by all releases of the process. */
  readonly locks: RepositoryLocks;
}

/** Images at once of one release. */
const atOnce = 4;
/** Statuses of a registry that is busy; another 4xx is the same next time. */
const passing: ReadonlySet<number> = new Set([408, 425, 429]);
const ends = { create: "created", move: "moved", keep: "unchanged", refuse: "superseded" } as const;

/**
 * Gives the images of a Snapshot the tags that its plan asks for, and one that never moves. Nothing is written before every
 * image was read, has its tags, and is verified if the plan asks for that; a repeated call writes nothing. A tag that an image
 * of a newer Snapshot has stays where it is. What may pass by itself is thrown.
 */
export async function retagRelease(request: RetagRequest, deps: RetagDeps, signal: AbortSignal): Promise<RetagOutcome> {
  const started = deps.clock.monotonic();
  const outcome = await retagOnce(request, deps, signal).catch((error: unknown): RetagOutcome => {
    signal.throwIfAborted();
    if (!isLasting(error)) throw error;
    return { kind: "failed", message: redact(error.message) };
  });
  if (!request.isDryRun) deps.metrics.ended(outcome.kind, deps.clock.monotonic() - started);
  return outcome;
}

async function retagOnce(request: RetagRequest, deps: RetagDeps, signal: AbortSignal): Promise<RetagOutcome> {
  const { release, snapshot, data } = request;
  refuseWeakening(release["spec"]);
  const components = mapComponents(readComponents(snapshot["spec"]), data, tagsIn(request.params));
  const verification = readReleaseVerification(data);
  const account = deps.actAs(request.namespace, request.serviceAccountName);
  const keys = verification && (await readReleaseKeys(account, verification, signal));
  const credentials = deps.credentials ?? (await readAccountCredentials(account, signal));
  await using registries = openRegistries({ ...deps.settings, credentials, clock: deps.clock });
  const facts = await readAllFacts(components, registries, signal);
  const planned = planReleaseTags(components, facts, {
    snapshot: snapshot.metadata.name,
    releasedAt: new Date(release.metadata.creationTimestamp ?? deps.clock.now()),
    allowExpiring: data["allowExpiring"] === true,
  });
  if (verification && keys) await requireVerified(components, registries, { ...verification, keys }, signal);
  const repositories = planned.map(({ repository }) => formatRepository(repository));
  const tagged = await deps.locks.run(repositories, () => writeAll(planned, registries, request, deps, signal), signal);
  return { kind: "succeeded", artifacts: releaseArtifacts(tagged, facts), tagged };
}

/** By the full name of the image. */
async function readAllFacts(
  components: readonly MappedComponent[],
  registries: Registries,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, ImageFacts>> {
  const slots = new Semaphore(atOnce);
  const read = await Promise.all(
    components.map(({ image }) =>
      slots.run(
        async () => [formatImageReference(image), await readImageFacts(registries, image, signal)] as const,
        signal,
      ),
    ),
  );
  return new Map(read);
}

/** Each repository has an outcome of its own: what failed does not keep the others from their tags. */
async function writeAll(
  planned: readonly RepositoryTags[],
  registries: Registries,
  { snapshot, isDryRun = false }: RetagRequest,
  { snapshotsIn, metrics }: RetagDeps,
  signal: AbortSignal,
): Promise<readonly TaggedRepository[]> {
  // Asked for while the repositories are ours, so that no release of another Snapshot comes in between.
  const newer = newerDigests(snapshot, await snapshotsIn(snapshot.metadata.namespace ?? "", signal));
  const slots = new Semaphore(atOnce);
  const work = isDryRun ? previewTags : writeTags;
  const settled = await Promise.allSettled(
    planned.map((each) => slots.run(() => work(each, registries, newer, signal), signal)),
  );
  signal.throwIfAborted();
  const failures = settled.flatMap((each): unknown[] => (each.status === "rejected" ? [each.reason] : []));
  const tagged = settled.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
  if (!isDryRun) {
    for (const { moves } of tagged) for (const { action } of moves) metrics.tagged(ends[action]);
    for (const _ of failures) metrics.tagged("failed");
  }
  const lasting = failures.filter(isLasting);
  if (lasting.length > 0) throw new InputError(listProblems(lasting.map(({ message }) => message)));
  if (failures.length > 0) throw failures[0];
  return tagged;
}

/** The tag that never moves comes first: where the moving one leads to an image, the other one already does. */
async function writeTags(
  planned: RepositoryTags,
  registries: Registries,
  newer: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<TaggedRepository> {
  const { component, repository, tags, immutableTag } = planned;
  const image = { ...repository, digest: component.image.digest };
  const move = async (requests: readonly TagRequest[]) =>
    (await retag(registries, { image, tags: requests }, signal)).tags;
  const isOwn = formatRepository(repository) === formatRepository(component.image);
  const first = isOwn
    ? await move([{ tag: immutableTag, isImmutable: true }])
    : await copyTagged(planned, registries, signal);
  const immutable = requireTagged(first, repository);
  const moved = requireTagged(await move(tags.map((tag) => ({ tag, newer }))), repository);
  return { ...planned, moves: [...moved, ...immutable] };
}

/** What `writeTags` would do now. */
async function previewTags(
  planned: RepositoryTags,
  registries: Registries,
  newer: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<TaggedRepository> {
  const { component, repository, tags, immutableTag } = planned;
  const requests: TagRequest[] = [...tags.map((tag) => ({ tag, newer })), { tag: immutableTag, isImmutable: true }];
  const moves: TagMove[] = [];
  for (const request of requests) {
    const current = await resolveDigest(registries, { ...repository, tag: request.tag }, signal);
    moves.push(planTagMove({ ...request, current, target: component.image.digest }));
  }
  return { ...planned, moves: requireTagged(moves, repository) };
}

async function copyTagged(
  { component, repository, immutableTag }: RepositoryTags,
  registries: Registries,
  signal: AbortSignal,
): Promise<readonly TagOutcome[]> {
  const target = { ...repository, tag: immutableTag };
  const options = { source: component.image, target, guards: { isImmutable: true } };
  const { tag } = await copyImage(registries, options, signal);
  return tag ? [tag] : [];
}

/** Throws the first error; that a tag is superseded is none. */
function requireTagged(
  outcomes: readonly TagOutcome[],
  repository: RepositoryTags["repository"],
): readonly TagOutcome[] {
  for (const outcome of outcomes) {
    if (outcome.error) throw outcome.error;
    if (outcome.reason === undefined || outcome.reason === "Superseded") continue;
    throw new InputError(describeTagMoveReason(outcome) ?? outcome.reason, {
      where: formatRepository(repository),
      next: "delete that tag if it is not of this Snapshot, then release again",
    });
  }
  return outcomes;
}

/** Whether a repetition with the same input would fail in the same way. */
function isLasting(error: unknown): error is Error {
  if (error instanceof InputError) return true;
  if (!(error instanceof RegistryError) || error.status === undefined) return false;
  return error.status >= 400 && error.status < 500 && !passing.has(error.status);
}
