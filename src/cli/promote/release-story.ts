import { readFile } from "node:fs/promises";
import { CommandFailed, isRecord, systemClock } from "#base";
import { ApiError, isKubeObject, keyOf, type KubeClient, type KubeObject, refOf } from "#kube";
import {
  authorLabelOf,
  declareBuild,
  Propagation,
  readSnapshotState,
  Release,
  shortDigest,
  viewRelease,
} from "#promotion";
import { parseYamlDocuments } from "#yaml";
import { deploy } from "../manage/manage-world.ts";
import type { Shell } from "../shell.ts";
import { holdOutput } from "../terminal/hold-output.ts";
import { mergeProposal, releasedRepository, type ReleaseServers } from "./release-servers.ts";

const namespace = "parcels-release";
const component = "tracking";
const commit = "4fd2c1e";
const patienceMs = 180_000;
const pauseMs = 100;
const propagationRef = { apiVersion: Propagation.apiVersion, kind: Propagation.kind, namespace, name: "parcels" };

/** The Release of an earlier run, if everything is done that it asked for; as NAMESPACE/NAME. */
export async function findToldRelease(client: KubeClient, signal: AbortSignal): Promise<string | undefined> {
  const resources = await client.discovery.resources(signal);
  const isServed = [Propagation, Release].every(({ apiVersion, kind }) =>
    resources.some((each) => each.apiVersion === apiVersion && each.kind === kind),
  );
  const found = isServed ? await client.find(propagationRef, signal) : undefined;
  const [stage] = (found && Propagation.parse(found).status?.stages) ?? [];
  // What was merged first ran already; a user may have released further builds.
  if (!stage?.running || (stage.history ?? []).length === 0) return undefined;
  const { apiVersion, kind } = Release;
  const { items } = await client.list({ apiVersion, kind, namespace }, signal);
  const finished = items.find((release) => viewRelease(release).state === "Released");
  return finished && keyOf(finished);
}

/** The way of one build, told line by line with the seconds since the commit. */
export class ReleaseStory {
  readonly #parts: ReleaseServers;
  readonly #client: KubeClient;
  readonly #shell: Shell;
  readonly #signal: AbortSignal;
  readonly #image: string;
  #start = 0;

  constructor(parts: ReleaseServers, client: KubeClient, shell: Shell, signal: AbortSignal) {
    this.#parts = parts;
    this.#client = client;
    this.#shell = shell;
    this.#signal = signal;
    this.#image = `${parts.registry}/${releasedRepository}`;
  }

  /** Makes the objects of the example, with the addresses of this machine, and deploys what ran before the release. */
  async prepare(manifests: string): Promise<void> {
    const { registry, repository, login } = this.#parts;
    const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "data-files", namespace }, stringData: login };
    const { user } = await this.#client.whoAmI(this.#signal);
    const text = (await readFile(manifests, "utf8"))
      .replaceAll("author.example", authorLabelOf(user))
      .replaceAll("registry.example", registry)
      .replaceAll("http://git.example/data", repository);
    const objects = parseYamlDocuments(text).flatMap(({ value }) => (isKubeObject(value) ? [value] : []));
    for (const object of [...objects.filter(isNamespace), secret, ...objects.filter((each) => !isNamespace(each))]) {
      await this.#patiently(() => this.#client.apply(object, { fieldManager: "tenon-up", force: true }, this.#signal));
    }
    const { merged } = await this.#readStage();
    if (merged?.digests[this.#tag] !== this.#parts.digests.built) await this.#deploy();
  }

  /** Tells the steps until the image runs, and returns the Release as NAMESPACE/NAME. */
  async tell(): Promise<string> {
    const { built } = this.#parts.digests;
    const short = shortDigest(built);
    this.#shell.stdout.write("\nFrom a commit to a running integration, without Tekton:\n");
    this.#start = systemClock.monotonic();
    this.#say(`commit ${commit} of ${component} is built: image ${short}`);
    const snapshot = await this.#test(`${this.#image}@${built}`);
    const release = await this.#release(snapshot);
    await this.#merge(built);
    await this.#until(async () => {
      const { running, health } = await this.#readStage();
      return { done: running?.digests[this.#tag] === built ? true : undefined, missing: health?.message };
    }, `propagation/${namespace}/parcels`);
    this.#say(`Deployment parcels-stage/${component} runs ${short}`);
    return keyOf(release);
  }

  async #test(image: string): Promise<KubeObject> {
    const build = { namespace, component, image, commit, startedAt: systemClock.now() };
    const { snapshot } = await this.#patiently(() => declareBuild(build, this.#client, this.#signal));
    this.#say(`Snapshot ${snapshot.metadata.name} is to be tested`);
    const tested = await this.#until(
      async () => {
        const found = await this.#client.get(refOf(snapshot), this.#signal);
        const { state, message = "no test has started" } = readSnapshotState(found);
        if (state === "Failed" || state === "Invalid") throw this.#failed(`Snapshot ${keyOf(snapshot)}`, message);
        return { done: state === "Passed" ? found : undefined, missing: message };
      },
      `snapshot/${keyOf(snapshot)}`,
    );
    const names = readSnapshotState(tested).tests.map(({ scenario }) => scenario);
    this.#say(`test ${names.join(", ")} has passed, as a Job`);
    return tested;
  }

  async #release(snapshot: KubeObject): Promise<KubeObject> {
    const { apiVersion, kind } = Release;
    const made = await this.#until(
      async () => {
        const { items } = await this.#client.list({ apiVersion, kind, namespace }, this.#signal);
        const found = items.find(({ spec }) => isRecord(spec) && spec["snapshot"] === snapshot.metadata.name);
        return { done: found, missing: "there is no Release of it" };
      },
      `snapshot/${keyOf(snapshot)}`,
    );
    this.#say(`Release ${made.metadata.name} by plan ${viewRelease(made).plan}`);
    const released = await this.#until(
      async () => {
        const found = await this.#client.get(refOf(made), this.#signal);
        const { state, next = "it runs" } = viewRelease(found);
        if (state === "Failed" || state === "Invalid") throw this.#failed(`Release ${keyOf(made)}`, next);
        return { done: state === "Released" ? found : undefined, missing: next };
      },
      `release/${keyOf(made)}`,
    );
    this.#say(`tag released leads to ${shortDigest(this.#parts.digests.built)}`);
    return released;
  }

  async #merge(digest: string): Promise<void> {
    const branch = await this.#until(async () => {
      const { merged, state, message = "Tenon looks at the tag", proposals } = await this.#readStage();
      if (merged?.digests[this.#tag] === digest) return { done: "", missing: undefined };
      const [proposal] = proposals;
      const isProposed = state === "Proposed" && proposal?.digests?.[this.#tag] === digest;
      return { done: isProposed ? proposal.branch : undefined, missing: message };
    }, `propagation/${namespace}/parcels`);
    if (branch !== "") {
      this.#say(`branch ${branch} is proposed`);
      const [file, ...lines] = await mergeProposal(this.#parts.folder, branch, this.#signal);
      this.#say(`merged into ${file ?? "main"}`);
      for (const line of lines) this.#shell.stdout.write(`            ${line}\n`);
    }
    this.#say(`tenon apply: ${await this.#deploy()}`);
  }

  /** Applies the data files, and returns the sum of the plan. */
  async #deploy(): Promise<string> {
    let text = "";
    const silent = holdOutput({ write: () => {} });
    const stdout = { write: (part: string) => void (text += part) };
    await deploy(this.#parts.config, { ...this.#shell, stdout, stderr: silent, progress: undefined });
    return /^.*\d+ to \w+.*$/m.exec(text)?.[0] ?? "nothing to change";
  }

  get #tag(): string {
    return `${this.#image}:released`;
  }

  async #readStage() {
    const found = Propagation.parse(await this.#client.get(propagationRef, this.#signal));
    const [stage] = found.status?.stages ?? [];
    const problem = found.status?.conditions?.find(({ type }) => type === "Ready")?.message;
    const unknown = { merged: undefined, running: undefined, health: undefined, state: "New", proposals: [] } as const;
    return stage ?? { ...unknown, ...(problem === undefined ? {} : { message: problem }) };
  }

  #say(text: string): void {
    const seconds = (systemClock.monotonic() - this.#start) / 1_000;
    this.#shell.stdout.write(`${seconds.toFixed(1).padStart(6)} s  ${text}\n`);
  }

  #failed(where: string, what: string): CommandFailed {
    return new CommandFailed(what, { where, next: `\`tenon get releases -n ${namespace}\` shows what became of it` });
  }

  async #until<Found>(
    look: () => Promise<{ readonly done: Found | undefined; readonly missing: string | undefined }>,
    explain: string,
  ): Promise<Found> {
    const end = systemClock.monotonic() + patienceMs;
    for (;;) {
      const { done, missing = "it waits" } = await look();
      if (done !== undefined) return done;
      if (systemClock.monotonic() > end) {
        const next = `\`tenon explain ${explain}\` says why`;
        throw new CommandFailed(`not done after ${patienceMs / 1_000} s: ${missing}`, { where: explain, next });
      }
      await systemClock.sleep(pauseMs, this.#signal);
    }
  }

  /** For a few seconds after its installation, the API server cannot apply policies to a new kind, and answers 503. */
  async #patiently<Answer>(call: () => Promise<Answer>): Promise<Answer> {
    const end = systemClock.monotonic() + patienceMs;
    for (;;) {
      try {
        return await call();
      } catch (error) {
        const mayPass = error instanceof ApiError && error.status === 503 && systemClock.monotonic() < end;
        if (!mayPass) throw error;
      }
      await systemClock.sleep(pauseMs, this.#signal);
    }
  }
}

function isNamespace({ kind }: KubeObject): boolean {
  return kind === "Namespace";
}
