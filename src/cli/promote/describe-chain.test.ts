import { describe, expect, test } from "vitest";
import { chainOf, promotionAnnotations, promotionLabels, type LiveRollout } from "#promotion";
import type { KubeObject } from "#kube";
import { wrapText } from "../terminal/text-width.ts";
import { describeChain } from "./describe-chain.ts";

const now = Date.parse("2026-01-02T04:00:00Z");
const at = (minute: number) => `2026-01-02T03:${String(minute).padStart(2, "0")}:00Z`;
const names = ["web", "api", "worker"];
const digestOf = (name: string) => `sha256:${Buffer.from(name).toString("hex").padEnd(64, "0")}`;
const condition = (type: string, minute: number, reason = "Succeeded") => ({
  type,
  status: "True",
  reason,
  message: "",
  lastTransitionTime: at(minute),
});

const snapshot: KubeObject = {
  apiVersion: "appstudio.redhat.com/v1alpha1",
  kind: "Snapshot",
  metadata: {
    name: "shop-20260102-030405-678",
    namespace: "shop",
    labels: {
      [promotionLabels.buildRun]: "worker-on-push-x7f2q",
      [promotionLabels.buildFinished]: String(Date.parse(at(4)) / 1_000),
    },
    annotations: {
      [promotionAnnotations.buildStarted]: String(Date.parse(at(2))),
      [promotionAnnotations.testStatus]: JSON.stringify(
        ["e2e", "upgrade"].map((scenario) => ({
          scenario,
          status: "TestPassed",
          startTime: at(5),
          completionTime: at(8),
          lastUpdateTime: at(8),
          details: "passed",
        })),
      ),
    },
  },
  spec: {
    application: "shop",
    components: names.map((name) => ({
      name,
      containerImage: `quay.io/acme-storefront/${name}@${digestOf(name)}`,
      source: { git: { url: `https://git.example/acme-storefront/${name}`, revision: "c0ffee".padEnd(40, "0") } },
    })),
  },
  status: { conditions: [condition("AppStudioTestSucceeded", 8, "Passed")] },
};

function release(): KubeObject {
  return {
    apiVersion: "appstudio.redhat.com/v1alpha1",
    kind: "Release",
    metadata: {
      name: "shop-20260102-030405-678-1a2b3c4d",
      namespace: "shop",
      labels: { [promotionLabels.automated]: "true" },
      creationTimestamp: at(9),
    },
    spec: { snapshot: snapshot.metadata.name, releasePlan: "shop-released" },
    status: {
      attribution: { author: "alice" },
      completionTime: at(10),
      artifacts: {
        images: names.map((name) => ({
          name,
          shasum: digestOf(name),
          arches: [],
          oses: [],
          urls: ["released", "released-shop-20260102-030405-678"].map(
            (tag) => `quay.io/acme-storefront/${name}:${tag}`,
          ),
        })),
      },
      conditions: ["Validated", "TenantPipelineProcessed", "Released"].map((type) => condition(type, 10)),
    },
  };
}

interface StageGiven {
  readonly state: string;
  readonly pullRequest: "open" | "merged";
  readonly merged?: readonly string[];
  readonly running?: readonly string[];
  readonly health?: object;
}

const imageOf = (name: string) => `quay.io/acme-storefront/${name}:released`;

function dated(all: readonly string[], since: string) {
  return { digests: Object.fromEntries(all.map((name) => [imageOf(name), digestOf(name)])), since };
}

function stageStatus(
  [name, { state, pullRequest, merged, running, health }]: [string, StageGiven],
  index: number,
): object {
  const url = `https://git.example/acme-storefront/gitops/pulls/${3 + index}`;
  const proposal = { number: 3 + index, url, state: pullRequest };
  return {
    name,
    state,
    since: at(12),
    ...(merged ? { merged: dated(merged, at(13)) } : {}),
    ...(running ? { running: dated(running, at(14)) } : {}),
    ...(health ? { health } : {}),
    proposals: [{ branch: "promotion/main/shop", state, heads: [], pullRequest: proposal }],
  };
}

function propagation(stages: Readonly<Record<string, StageGiven>>): KubeObject {
  const repository = "https://git.example/acme-storefront/gitops";
  return {
    apiVersion: "tenon.dev/v1alpha1",
    kind: "Propagation",
    metadata: { name: "shop", namespace: "shop" },
    spec: {
      source: {
        images: names.map((name) => ({
          repository: `quay.io/acme-storefront/${name}`,
          tag: "released",
          component: name,
        })),
      },
      stages: Object.keys(stages).map((name) => ({ name, repository, branch: "main", forge: { kind: "gitea" } })),
    },
    status: { stages: Object.entries(stages).map(stageStatus) },
  };
}

const upToDate: StageGiven = { state: "UpToDate", pullRequest: "merged", merged: names, running: names };
const rollouts: LiveRollout[] = names.map((name) => ({
  object: `Deployment storefront/${name}`,
  digest: digestOf(name),
  state: "Running",
  since: at(14),
}));

test("the chain of a Release of three components through two stages is one screen of 80 by 24, with every step and its time", () => {
  const proposed: StageGiven = { state: "Proposed", pullRequest: "open" };
  const chain = chainOf(release(), snapshot, [propagation({ stage: upToDate, production: proposed })], rollouts);
  const lines = describeChain(chain, now).flatMap(([label, text]) =>
    wrapText(`${label}: ${text}`, 80, "  ").split("\n"),
  );
  expect(lines).toEqual([
    "  image: web 7765620, commit c0ffee0 of https://git.example/acme-storefront/web",
    "  image: api 6170690, commit c0ffee0 of https://git.example/acme-storefront/api",
    "  image: worker 776f726, commit c0ffee0 of",
    "    https://git.example/acme-storefront/worker",
    "  build: PipelineRun worker-on-push-x7f2q, 56 min ago, took 2 min",
    "  snapshot: shop-20260102-030405-678, Passed, 52 min ago",
    "  test: e2e, TestPassed, 52 min ago, took 3 min",
    "  test: upgrade, TestPassed, 52 min ago, took 3 min",
    "  release: by plan shop-released, by itself, alice answers for it, 51 min ago",
    "  tenant pipeline: Succeeded, 50 min ago",
    "  tags: web 7765620, api 6170690, worker 776f726 are released,",
    "    released-shop-20260102-030405-678",
    "  stage: stage of shop/shop, UpToDate, 48 min ago",
    "  pull request: 3, merged: https://git.example/acme-storefront/gitops/pulls/3",
    "  merged: 47 min ago, runs since 46 min",
    "  stage: production of shop/shop, Proposed, 48 min ago",
    "  pull request: 4, open: https://git.example/acme-storefront/gitops/pulls/4",
    "  runs in: Deployment storefront/web: web, 46 min ago",
    "  runs in: Deployment storefront/api: api, 46 min ago",
    "  runs in: Deployment storefront/worker: worker, 46 min ago",
    "  waits for: pull request 4 of stage production to be merged:",
    "    https://git.example/acme-storefront/gitops/pulls/4",
  ]);
  // The line that names the Release, and the prompt.
  expect(lines.length + 2).toBeLessThanOrEqual(24);
});

function linesOf(stage: StageGiven, found: readonly LiveRollout[] = []): Record<string, string> {
  const chain = chainOf(release(), snapshot, [propagation({ stage })], found);
  return Object.fromEntries(describeChain(chain, now));
}

describe("the chain of a Release waits for", () => {
  test("nothing once every stage has merged it and runs it", () => {
    expect(linesOf(upToDate, rollouts)).toMatchObject({
      "waits for": "nothing",
      merged: "47 min ago, runs since 46 min",
    });
  });

  test("the health of a stage that has merged it, and does not run it yet", () => {
    const health = { state: "Progressing", since: at(13), message: "Deployment storefront/web: 1 of 3 pods is ready" };
    const lines = linesOf({ state: "UpToDate", pullRequest: "merged", merged: names, health });
    expect(lines).toMatchObject({
      merged: "47 min ago",
      "waits for": "stage stage: Deployment storefront/web: 1 of 3 pods is ready",
    });
  });

  test("a workload that has its digest, and is not ready", () => {
    const [web] = rollouts;
    const found: LiveRollout[] = web ? [{ ...web, state: "RollingOut", message: "2 of 3 pods are ready" }] : [];
    expect(linesOf(upToDate, found)).toMatchObject({
      "runs in": "Deployment storefront/web: web, which rolls out, 46 min ago",
      "waits for": "Deployment storefront/web: 2 of 3 pods are ready",
    });
  });
});

test("digests of another Release on the base branch do not count as merged", () => {
  const older = propagation({ stage: upToDate });
  const other = JSON.parse(JSON.stringify(older).replaceAll(digestOf("api"), digestOf("older")));
  const chain = chainOf(release(), snapshot, [other], []);
  expect(Object.fromEntries(describeChain(chain, now))).not.toHaveProperty("merged");
});

test("many workloads of a Release are counted, and JSON has all", () => {
  const many = Array.from(
    { length: 9 },
    (_, index): LiveRollout => ({ object: `Deployment shop/web-${index}`, digest: digestOf("web"), state: "Running" }),
  );
  const chain = chainOf(release(), snapshot, [], many);
  const lines = describeChain(chain, now).filter(([label]) => label === "runs in");
  expect(lines.at(-1)).toEqual(["runs in", "6 more; -o json has all"]);
  expect(chain.rollouts).toHaveLength(9);
});
