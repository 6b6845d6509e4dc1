import { createHash } from "node:crypto";
import { systemClock } from "#base";
import type { KubeClient, KubeObject, NewObject } from "#kube";
import {
  Application,
  Component,
  IntegrationTestScenario,
  promotionAnnotations,
  promotionLabels,
  Snapshot,
} from "#promotion";

type KindName = Pick<NewObject, "apiVersion" | "kind">;

const pipelineRun = { apiVersion: "tekton.dev/v1", kind: "PipelineRun" };
const registry = "reg.local:5000/acme";
const startedAt = Date.parse("2026-01-02T03:00:00Z");
/** Of builds that are later in time than those after them in a list. */
const headStartMs = 3_600_000;
const limitMs = 10 * 60_000;

/** A build that Tekton runs. */
export interface StartedBuild {
  readonly name: string;
  readonly component: string;
  readonly image: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
}

/** An Application with many components, all of which have a candidate, and one scenario. */
export class LargeApplication {
  readonly namespace: string;
  readonly components: readonly string[];
  readonly #client: KubeClient;
  #built = 0;

  constructor(client: KubeClient, components: number) {
    this.namespace = `large-${crypto.randomUUID().slice(0, 8)}`;
    this.components = Array.from({ length: components }, (_, index) => `c${String(index).padStart(3, "0")}`);
    this.#client = client;
  }

  async create(): Promise<void> {
    await this.#client.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: this.namespace } });
    await this.#make(Application, "shop", { displayName: "Shop" });
    await Promise.all(this.components.map((name) => this.#makeComponent(name)));
    const resolverRef = { resolver: "cluster", params: [{ name: "name", value: "e2e" }] };
    await this.#make(IntegrationTestScenario, "e2e", { application: "shop", resolverRef });
  }

  /**
   * Creates the runs of builds at once: of four fifths of them each is of another component, and the rest are builds of the
   * first components that started before these.
   */
  async startBuilds(count: number): Promise<readonly StartedBuild[]> {
    const newer = Math.min(this.components.length, Math.ceil(count * 0.8));
    const builds = Array.from({ length: count }, (_, index): StartedBuild => {
      const number = this.#built++;
      const component = this.components[index % newer] ?? "";
      const time = startedAt + number * 1_000 + (index < newer ? headStartMs : 0);
      return { name: `build-${number}`, component, image: imageOf(component, `build ${number}`), startedAt: time };
    });
    await Promise.all(builds.map((build) => this.#start(build)));
    return builds;
  }

  async finishBuilds(builds: readonly StartedBuild[]): Promise<void> {
    await Promise.all(builds.map((build) => this.#finish(build)));
  }

  /** Returns once each of the builds so far names its Snapshot, and each Snapshot its test run. */
  async settled(): Promise<void> {
    const end = systemClock.monotonic() + limitMs;
    const listRuns = (type: string) =>
      this.#listMetadata(pipelineRun, { labelSelector: `${promotionLabels.runType}=${type}` });
    for (;;) {
      const runs = await listRuns("build");
      const areNamed = runs.every(({ metadata }) => hasAnnotation(metadata, promotionAnnotations.snapshot));
      const isStarted = runs.length === this.#built && areNamed && (await listRuns("test")).length >= this.#built;
      // The server reads large Snapshots whole for this, so that asking often would be what a benchmark measures.
      const snapshots = isStarted ? await this.#listMetadata(Snapshot) : [];
      const areTested = snapshots.every(({ metadata }) => hasAnnotation(metadata, promotionAnnotations.testStatus));
      if (snapshots.length > 0 && areTested) return;
      if (systemClock.monotonic() > end) throw new Error(`${this.#built} builds are not all tested after 10 min`);
      await systemClock.sleep(50);
    }
  }

  async list({ apiVersion, kind }: KindName): Promise<readonly KubeObject[]> {
    return (await this.#client.list({ apiVersion, kind, namespace: this.namespace })).items;
  }

  /** Without specs, which are large. */
  async #listMetadata({ apiVersion, kind }: KindName, selection: { readonly labelSelector?: string } = {}) {
    const { namespace } = this;
    return (await this.#client.list({ apiVersion, kind, namespace, metadataOnly: true, ...selection })).items;
  }

  async #makeComponent(name: string): Promise<void> {
    const source = { git: { url: `https://git.example/acme/${name}`, revision: "main" } };
    await this.#make(Component, name, { componentName: name, application: "shop", source });
    const status = { lastPromotedImage: imageOf(name, "before"), lastBuiltCommit: "0".repeat(40) };
    await this.#setStatus(Component, name, status);
  }

  async #start({ name, component }: StartedBuild): Promise<void> {
    const labels = { [promotionLabels.runType]: "build", [promotionLabels.component]: component };
    await this.#client.create({ ...pipelineRun, metadata: { name, namespace: this.namespace, labels }, spec: {} });
  }

  async #finish({ name, component, image, startedAt: time }: StartedBuild): Promise<void> {
    const [url = "", digest = ""] = image.split("@");
    const results = Object.entries({
      IMAGE_URL: `${url}:main`,
      IMAGE_DIGEST: digest,
      "CHAINS-GIT_URL": `https://git.example/acme/${component}`,
      "CHAINS-GIT_COMMIT": digest.slice(-40),
    }).map(([result, value]) => ({ name: result, type: "string", value }));
    await this.#setStatus(pipelineRun, name, {
      startTime: new Date(time).toISOString(),
      completionTime: new Date().toISOString(),
      conditions: [{ type: "Succeeded", status: "True" }],
      results,
    });
  }

  async #make({ apiVersion, kind }: KindName, name: string, spec: object): Promise<void> {
    await this.#client.create({ apiVersion, kind, metadata: { name, namespace: this.namespace }, spec });
  }

  async #setStatus({ apiVersion, kind }: KindName, name: string, status: object): Promise<void> {
    const ref = { apiVersion, kind, namespace: this.namespace, name };
    await this.#client.patch(ref, { type: "merge", subresource: "status", body: { status } });
  }
}

function imageOf(component: string, content: string): string {
  const digest = createHash("sha256").update(`${component} ${content}`).digest("hex");
  return `${registry}/${component}@sha256:${digest}`;
}

function hasAnnotation({ annotations }: KubeObject["metadata"], name: string): boolean {
  return annotations?.[name] !== undefined;
}
