import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { pacPrefix, promotionAnnotations, promotionLabels } from "../kinds/promotion-names.ts";
import { isPushEvent, pullRequestGroup, pullRequestOf } from "./build-event.ts";
import { type BuildRun, readBuildRun } from "./build-run.ts";
import { imageByDigest } from "./built-image.ts";
import { changeCandidate } from "./candidate-list.ts";
import { decideBuild } from "./decide-build.ts";
import { mostNames, snapshotName } from "./snapshot-name.ts";

const digest = `sha256:${"ab".repeat(32)}`;
const application = { apiVersion: "v1", kind: "Application", metadata: { name: "shop", namespace: "t1" } };
const component = {
  apiVersion: "v1",
  kind: "Component",
  metadata: { name: "web", namespace: "t1" },
  spec: { application: "shop", source: { git: { url: "https://git.example/acme/web", context: "src" } } },
};
const finished = "2026-01-02T03:05:00Z";

function runWith(status: string, annotations: Readonly<Record<string, string>> = {}): BuildRun {
  const results = {
    IMAGE_URL: "reg.local:5000/acme/web:1",
    IMAGE_DIGEST: digest,
    "CHAINS-GIT_URL": "u",
    "CHAINS-GIT_COMMIT": "c",
  };
  return readBuildRun({
    apiVersion: "tekton.dev/v1",
    kind: "PipelineRun",
    metadata: { name: "r", namespace: "t1", labels: { [promotionLabels.component]: "web" }, annotations },
    status: {
      startTime: "2026-01-02T03:04:05.678Z",
      completionTime: finished,
      conditions: [{ type: "Succeeded", status }],
      results: Object.entries(results).map(([name, value]) => ({ name, value })),
    },
  });
}

const minutesAfter = (minutes: number) => Date.parse(finished) + minutes * 60_000;
const decide = (run: BuildRun, now: number, requireChains = true) =>
  decideBuild({ run, component, application, requireChains, now });

describe("waiting for Tekton Chains", () => {
  test.each(["true", "failed"])("P2: a build that Chains marked %s becomes a Snapshot", (value) => {
    expect(decide(runWith("True", { [promotionAnnotations.chainsSigned]: value }), minutesAfter(0)).kind).toBe(
      "snapshot",
    );
  });

  test("P2: a build without the mark waits for 5 min, and then says so", () => {
    expect(decide(runWith("True"), minutesAfter(1))).toEqual({ kind: "wait", afterMs: 4 * 60_000 });
    expect(decide(runWith("True"), minutesAfter(5))).toMatchObject({
      kind: "fail",
      message: expect.stringContaining("Chains"),
    });
    expect(decide(runWith("True", { [promotionAnnotations.chainsSigned]: "true" }), minutesAfter(9)).kind).toBe(
      "snapshot",
    );
  });

  test("P2: without Chains a build does not wait", () => {
    expect(decide(runWith("True"), minutesAfter(0), false).kind).toBe("snapshot");
  });
});

test.each([
  { reason: "the run goes on", run: runWith("Unknown"), kind: "hold" },
  { reason: "the run failed", run: runWith("False"), kind: "release" },
  {
    reason: "the run has a Snapshot",
    run: runWith("True", { [promotionAnnotations.snapshots]: "s" }),
    kind: "release",
  },
  { reason: "the run is deleted", run: { ...runWith("True"), isDeleting: true }, kind: "release" },
])("$kind, because $reason", ({ run, kind }) => {
  expect(decideBuild({ run, component, application, requireChains: false, now: 0 }).kind).toBe(kind);
});

const event = (facts: Readonly<Record<string, string>>) => ({
  labels: Object.fromEntries(Object.entries(facts).map(([name, value]) => [`${pacPrefix}${name}`, value])),
  annotations: Object.fromEntries(Object.entries(facts).map(([name, value]) => [`${pacPrefix}${name}`, value])),
});

describe("what triggered a build", () => {
  test.each([
    { reason: "nothing says anything", facts: {}, isPush: true },
    { reason: "a pull request", facts: { "pull-request": "7", "event-type": "pull_request" }, isPush: false },
    { reason: "the merge of a pull request", facts: { "pull-request": "7", "event-type": "Push" }, isPush: true },
    {
      reason: "the merge queue",
      facts: { "event-type": "push", "source-branch": "gh-readonly-queue/main/pr-12-a" },
      isPush: false,
    },
  ])("P11: a build is a push or of a pull request by what triggered it: $reason", ({ facts, isPush }) => {
    expect(isPushEvent(event(facts))).toBe(isPush);
  });

  test("P11: the merge queue's branch names the pull request", () => {
    expect(pullRequestOf(event({ "source-branch": "refs/heads/gh-readonly-queue/main/pr-12-abc" }))).toBe("12");
  });

  test("P10: the default branch of a fork is a group of its own", () => {
    const facts = { "pull-request": "7", "source-branch": "main", "url-org": "bob" };
    const hash = createHash("sha256").update("main-bob").digest("hex").slice(0, 62);
    expect(pullRequestGroup(event(facts))).toEqual({ name: "main-bob", hash });
    expect(pullRequestGroup(event({ ...facts, "source-branch": "feat-x@fork" }))?.name).toBe("feat-x");
  });
});

describe("names of Snapshots", () => {
  const at = Date.parse("2026-01-02T03:04:05.678Z");

  test("P8: a name has at most 63 characters, whatever its owner and however often it is taken", () => {
    for (const attempt of [0, 1, 5]) {
      const name = snapshotName("a".repeat(50), at, "uid", attempt);
      expect(name.length).toBeLessThanOrEqual(63);
      expect(name).toMatch(/^a+-20260102-030405-678(-[0-9a-z]{2})?$/);
    }
  });

  test("P8: a build finds the names of its earlier attempts again, and another build has others", () => {
    expect(snapshotName("shop", at, "one", 1)).toBe(snapshotName("shop", at, "one", 1));
    const names = new Set(Array.from({ length: 20 }, (_, build) => snapshotName("shop", at, `build ${build}`, 1)));
    expect(names.size).toBeGreaterThan(15);
  });

  test("P8: each of 1,000 builds of one moment finds a name that is free", () => {
    const taken = new Set<string>();
    for (let build = 0; build < 1_000; build += 1) {
      const names = Array.from({ length: mostNames + 1 }, (_, attempt) =>
        snapshotName("shop", at, `build ${build}`, attempt),
      );
      const free = names.find((name) => !taken.has(name));
      expect(free, `of build ${build}`).toBeDefined();
      taken.add(free ?? "");
    }
    expect(taken.size).toBe(1_000);
  });
});

test.each([
  ["reg.local:5000/acme/web:build-1", digest, `reg.local:5000/acme/web@${digest}`],
  ["reg.local:5000/acme/web", digest, `reg.local:5000/acme/web@${digest}`],
  [`quay.io/acme/web:x@${digest}`, undefined, `quay.io/acme/web@${digest}`],
])("P4: %s by its digest keeps the port and drops the tag", (url, given, image) => {
  expect(imageByDigest(url, given)).toBe(image);
});

const dated = (seconds: number) => ({
  ...component,
  metadata: { ...component.metadata, annotations: { [promotionAnnotations.lastBuildTime]: String(seconds) } },
  status: { lastPromotedImage: "a@sha256:1", lastBuiltCommit: "c" },
});

describe("the candidate of a component", () => {
  const candidate = { image: "a@sha256:2", commit: "d", startedAt: 100_500 };

  test("P6: an older build does not replace it", () => {
    expect(changeCandidate(dated(101), candidate)).toBeUndefined();
  });

  test("P6: a build of the same second does", () => {
    expect(changeCandidate(dated(100), candidate)).toEqual({
      status: { lastPromotedImage: "a@sha256:2", lastBuiltCommit: "d" },
    });
  });

  test("the same build again changes nothing", () => {
    expect(changeCandidate(dated(100), { image: "a@sha256:1", commit: "c", startedAt: 100_000 })).toEqual({});
  });
});
