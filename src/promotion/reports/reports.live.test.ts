import { generateKeyPairSync } from "node:crypto";
import { describe, expect, test } from "vitest";
import { startHttpProxy } from "#faults";
import { type GiteaRepository, useGitea } from "#gitea";
import { useTesting } from "#harness";
import { type KubeObject, refOf } from "#kube";
import { testOutput } from "#tekton";
import { startSampleGithub } from "../../forge/github/sample-github.fixture.ts";
import { startSampleGitlab } from "../../forge/gitlab/sample-gitlab.fixture.ts";
import { Component } from "../kinds/component.ts";
import {
  copiedPacPrefix,
  pacPrefix,
  promotionAnnotations,
  promotionFinalizers,
  promotionLabels,
  scmLabels,
  scmRepositories,
} from "../kinds/promotion-names.ts";

const settings = { name: "Integration Service", runUrl: "https://console.example/{{NAMESPACE}}/{{PIPELINE_RUN_NAME}}" };
const world = useTesting({ reports: settings });
const gitea = await useGitea();
const owner = await gitea.createUser();
const passes = { tasks: [{ name: "unit", output: testOutput("SUCCESS") }] };
const fails = { tasks: [{ name: "unit", output: testOutput("FAILURE") }] };
const commit = "c".repeat(40);

interface Change {
  readonly component: string;
  readonly url: string;
  readonly sha: string;
  readonly provider: string;
  readonly pullRequest?: number;
  readonly more?: Readonly<Record<string, string>>;
}

/** The labels and annotations of a Snapshot that Pipelines-as-Code's build gave it. */
function built({ url, sha, provider, pullRequest, more = {}, ...change }: Change) {
  const labels = {
    [promotionLabels.component]: change.component,
    [`${copiedPacPrefix}sha`]: sha,
    ...(pullRequest === undefined
      ? {}
      : {
          [`${copiedPacPrefix}pull-request`]: String(pullRequest),
          [`${copiedPacPrefix}event-type`]: "pull_request",
        }),
  };
  const facts = { "git-provider": provider, "repo-url": url, ...more };
  const annotations = Object.fromEntries(
    Object.entries(facts).map(([name, value]) => [`${copiedPacPrefix}${name}`, value]),
  );
  return { labels, annotations };
}

async function component(name: string, url: string, spec: object = {}): Promise<void> {
  const { apiVersion, kind } = Component;
  const metadata = { name, namespace: world.namespace };
  await world.client.create({
    apiVersion,
    kind,
    metadata,
    spec: { componentName: name, application: "shop", source: { git: { url } }, ...spec },
  });
}

/** A Secret for a forge, as its owner labels it. */
async function credentials(name: string, url: string, data: Readonly<Record<string, string>>): Promise<void> {
  const { host, pathname } = new URL(url);
  await world.client.create({
    apiVersion: "v1",
    kind: "Secret",
    metadata: {
      name,
      namespace: world.namespace,
      labels: { [scmLabels.credentials]: "scm", [scmLabels.host]: host.replace(":", "_") },
      annotations: { [scmRepositories]: pathname.slice(1) },
    },
    data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString("base64")])),
  });
}

/** A repository on Gitea with an open pull request, a Component, and a Secret unless it is to be missing. */
async function onGitea(name: string, options: { readonly hasSecret?: boolean; readonly spec?: object } = {}) {
  const repository = await gitea.createRepository({ "app.txt": "a\n" }, owner);
  const branch = { new_branch_name: "feat-x", old_branch_name: "main" };
  await gitea.expect("POST", `${repository.path}/branches`, branch, owner.token);
  const sha = await gitea.commit(repository, { "app.txt": `b of ${name}\n` }, "feat-x");
  const pull = { head: "feat-x", base: "main", title: "A change" };
  const { number } = await gitea.expect("POST", `${repository.path}/pulls`, pull, owner.token);
  await component(name, repository.address, options.spec);
  if (options.hasSecret !== false) await giteaCredentials(name, repository);
  const change = { component: name, url: repository.address, sha, provider: "gitea", pullRequest: number };
  return { repository, sha, change, number };
}

const giteaCredentials = (name: string, { address }: GiteaRepository, password = owner.token) =>
  credentials(name, address, { password, "ca.crt": gitea.access.certificateAuthority });

interface ShownStatus {
  readonly id: number;
  readonly context: string;
  readonly status: string;
  readonly description: string;
  readonly target_url: string;
}

/** Newest first. */
async function statuses({ path }: GiteaRepository, sha: string): Promise<readonly ShownStatus[]> {
  const found: readonly ShownStatus[] = await gitea.expect("GET", `${path}/commits/${sha}/statuses`);
  return found.toSorted((one, other) => other.id - one.id);
}

/** What the newest status of each context says. */
async function shown(repository: GiteaRepository, sha: string): Promise<Readonly<Record<string, string>>> {
  const newest = (await statuses(repository, sha)).toReversed();
  return Object.fromEntries(newest.map(({ context, status }) => [context, status]));
}

async function comments({ path }: GiteaRepository, pull: number): Promise<readonly string[]> {
  const found: readonly { readonly body: string }[] = await gitea.expect("GET", `${path}/issues/${pull}/comments`);
  return found.map(({ body }) => body);
}

const memory = (snapshot: KubeObject | undefined) =>
  snapshot?.metadata.annotations?.[promotionAnnotations.reportStatus] ?? "";
const failureOf = (snapshot: KubeObject | undefined) =>
  snapshot?.metadata.annotations?.[promotionAnnotations.reportFailure];

/** Waits until the newest state of each test of the Snapshot is reported. */
async function untilReported(name: string): Promise<KubeObject> {
  const found = await world.waitFor(world.ref("Snapshot", name), (snapshot) => {
    const entries: { lastUpdateTime: string; scenario: string }[] = JSON.parse(
      snapshot?.metadata.annotations?.[promotionAnnotations.testStatus] ?? "[]",
    );
    const known = memory(snapshot);
    return entries.length > 0 && entries.every((entry) => known.includes(`"${entry.lastUpdateTime}"`));
  });
  if (!found) throw new Error("it was there a moment ago");
  return found;
}

async function owned(application: string, ...scenarios: readonly (readonly [string, object?])[]) {
  await world.application(application);
  for (const [name, metadata] of scenarios) await world.scenario(name, { application }, metadata);
}

const isStatus = ({ method, path }: { readonly method: string; readonly path: string }) =>
  method === "POST" && path.includes("/statuses/");
const isComment = ({ method, path }: { readonly method: string; readonly path: string }) =>
  method === "POST" && path.endsWith("/comments");
const optional = { labels: { [promotionLabels.optional]: "true" } };

/** A Snapshot whose Application does not exist: nothing tests it, so that its results are what the annotation says. */
async function tested(
  name: string,
  change: { readonly labels: Readonly<Record<string, string>>; readonly annotations: Readonly<Record<string, string>> },
  entries: readonly object[],
) {
  const time = { lastUpdateTime: "2026-01-02T03:04:05.000Z", details: "" };
  const text = JSON.stringify(entries.map((entry) => ({ ...time, ...entry })));
  const annotations = { ...change.annotations, [promotionAnnotations.testStatus]: text };
  return world.snapshot(name, { application: "absent", labels: change.labels, annotations });
}

describe("reports on a real Gitea", () => {
  test("P24: each test has a status on the commit, one comment says all, and runs are kept until it is sent", async () => {
    const { repository, sha, change, number } = await onGitea("web");
    await owned("a1", ["e2e"], ["scan", optional]);
    await world.snapshot("s1", { application: "a1", ...built(change) });
    const [e2e, scan] = [await world.waitForRun("s1", "e2e"), await world.waitForRun("s1", "scan")];
    expect((await world.client.get(world.ref("PipelineRun", e2e))).metadata.annotations).toMatchObject({
      [`${copiedPacPrefix}log-url`]: `https://console.example/${world.namespace}/${e2e}`,
    });
    const contexts = ["Integration Service / e2e / web", "Integration Service / scan / web"] as const;
    await expect.poll(() => shown(repository, sha)).toEqual({ [contexts[0]]: "pending", [contexts[1]]: "pending" });
    await world.player.finish(e2e, passes);
    await world.player.finish(scan, fails);
    await expect.poll(() => shown(repository, sha)).toEqual({ [contexts[0]]: "success", [contexts[1]]: "warning" });
    const reported = await untilReported("s1");
    expect(failureOf(reported)).toBeUndefined();
    const status = (await statuses(repository, sha)).find(({ context }) => context === contexts[0]);
    expect(status).toMatchObject({
      description: "Integration test for component web snapshot s1 and scenario e2e has passed",
      target_url: `https://console.example/${world.namespace}/${e2e}`,
    });
    const written = await comments(repository, number);
    expect(written).toHaveLength(1);
    expect(written[0]).toContain("`scan` (optional) has failed");
    expect(written[0]).toContain("| `unit` | 1m30s |  | FAILURE | 3 passed, 1 failed, 0 with warnings |");
    expect(written[0]).toContain(`Passed: [\`e2e\`](<https://console.example/${world.namespace}/${e2e}>)`);
    for (const run of [e2e, scan]) {
      await world.waitFor(
        world.ref("PipelineRun", run),
        (found) => found?.metadata.finalizers?.includes(promotionFinalizers.run) !== true,
      );
    }

    const sent = await statuses(repository, sha);
    world.calls.length = 0;
    await world.restart();
    const later = await onGitea("later");
    await world.snapshot("after1", { application: "a1", ...built(later.change) });
    await world.waitForRun("after1", "e2e");
    await untilReported("after1");
    expect(world.calls.filter((call) => !call.startsWith("GET ") && call.endsWith("/snapshots/s1"))).toEqual([]);
    expect(await statuses(repository, sha)).toEqual(sent);
  });

  test("what cannot be reported is said on the Snapshot without the token, and is made up for by the next result", async () => {
    const { repository, sha, change } = await onGitea("late", { hasSecret: false });
    await owned("a2", ["e2e2"]);
    await world.snapshot("s2", { application: "a2", ...built(change) });
    const first = await world.waitForRun("s2", "e2e2");
    const silent = await world.waitFor(world.ref("Snapshot", "s2"), (found) => failureOf(found) !== undefined);
    expect(failureOf(silent)).toContain(`no Secret for ${new URL(repository.address).host}`);
    expect(failureOf(silent)).toContain(`${scmLabels.host}=${new URL(repository.address).host.replace(":", "_")}`);
    const useless = await gitea.createToken(owner.name, ["read:user"]);
    await giteaCredentials("late", repository, useless);
    await world.player.finish(first, fails);
    const refused = await world.waitFor(world.ref("Snapshot", "s2"), (found) =>
      (failureOf(found) ?? "").includes("the forge answers 403"),
    );
    expect(JSON.stringify(refused)).not.toContain(useless);
    expect(world.lines.join("\n")).not.toContain(useless);
    // Nothing waits for a report that cannot be sent.
    await world.waitFor(
      world.ref("PipelineRun", first),
      (found) => found?.metadata.finalizers?.includes(promotionFinalizers.run) !== true,
    );
    await world.client.delete({ apiVersion: "v1", kind: "Secret", namespace: world.namespace, name: "late" });
    await giteaCredentials("late", repository);
    const rerun = { metadata: { labels: { [promotionLabels.rerun]: "e2e2" } } };
    await world.client.patch(world.ref("Snapshot", "s2"), { type: "merge", body: rerun });
    await world.player.finish(await world.waitForRun("s2", "e2e2", first), passes);
    await expect.poll(() => shown(repository, sha)).toEqual({ "Integration Service / e2e2 / late": "success" });
    await world.waitFor(world.ref("Snapshot", "s2"), (found) => failureOf(found) === undefined);
  });

  test("a forge that fails for a while gets each status and the comment once, and the run is kept until then", async () => {
    const { repository, sha, number } = await onGitea("direct", { hasSecret: false });
    const { certificateAuthority, url } = gitea.access;
    const upstream = { tls: { ca: certificateAuthority } };
    await using proxy = await startHttpProxy({ target: new URL(url), upstream });
    const address = repository.address.replace(url, proxy.url.origin);
    await component("proxied", address);
    await credentials("proxied", address, { password: owner.token });
    await owned("a3", ["e2e3"]);
    proxy.answer({ match: isComment, status: 500, body: "{}" });
    const change = { component: "proxied", url: address, sha, provider: "forgejo", pullRequest: number };
    await world.snapshot("s3", { application: "a3", ...built(change) });
    const run = world.ref("PipelineRun", await world.waitForRun("s3", "e2e3"));
    await proxy.when(isComment, 2);
    await world.player.finish(run.name, fails);
    await world.waitForEntry("s3", "e2e3", "TestFail");
    await proxy.when(isComment, proxy.count(isComment) + 2);
    expect((await world.client.get(run)).metadata.finalizers).toContain(promotionFinalizers.run);
    proxy.restore();
    await world.waitFor(run, (found) => found?.metadata.finalizers?.includes(promotionFinalizers.run) !== true);
    expect(failureOf(await untilReported("s3"))).toBeUndefined();
    expect((await statuses(repository, sha)).map(({ status }) => status)).toEqual(["error", "pending"]);
    expect(await comments(repository, number)).toHaveLength(1);
  });

  test("the results of a group go to the pull request of each member", async () => {
    const [one, two] = [
      await onGitea("g-one"),
      await onGitea("g-two", { spec: { "repository-settings": { "comment-strategy": "disable_all" } } }),
    ];
    const members = [one, two].map(({ change, number }) => ({
      namespace: world.namespace,
      component: change.component,
      buildPipelineRun: `build-${change.component}`,
      snapshot: `s4-${change.component}`,
      repoUrl: change.url,
      pullRequestNumber: String(number),
    }));
    for (const { change } of [one, two]) {
      await world.snapshot(`s4-${change.component}`, { application: "absent", ...built(change) });
    }
    const group = {
      labels: { [promotionLabels.snapshotType]: "group", [promotionLabels.component]: "" },
      annotations: { [promotionAnnotations.groupMembers]: JSON.stringify(members) },
    };
    await tested("s4", group, [{ scenario: "together", status: "TestFail" }]);
    await untilReported("s4");
    for (const { repository, sha } of [one, two]) {
      expect(await shown(repository, sha)).toEqual({ "Integration Service / together / pr group": "error" });
    }
    const [comment] = await comments(one.repository, one.number);
    expect(comment).toContain("| Component | Snapshot | BuildPipelineRun | PullRequest |");
    expect(comment).toContain("`build-g-two`");
    expect(await comments(two.repository, two.number), "disable_all").toEqual([]);
  });

  test("P12: a group that cannot be created is an error on its pull request, until the group is tested after all", async () => {
    const { repository, sha, change, number } = await onGitea("barred");
    await world.application("a6");
    await world.scenario("of-group", { application: "a6", contexts: [{ name: "group" }] });
    await world.scenario("of-build", { application: "a6", contexts: [{ name: "component" }] });
    const told = built(change);
    const annotations = {
      ...told.annotations,
      [promotionAnnotations.groupState]: "forbidden",
      [promotionAnnotations.groupStatus]: "cannot create the group Snapshot: exceeded quota",
    };
    await world.snapshot("barred", { application: "a6", labels: told.labels, annotations });
    const marked = await world.waitFor(
      world.ref("Snapshot", "barred"),
      (found) => found?.metadata.annotations?.[promotionAnnotations.groupReport] === "forbidden",
    );
    expect(failureOf(marked)).toBeUndefined();
    const context = "Integration Service / of-group / pr group";
    const first = (await statuses(repository, sha)).find((status) => status.context === context);
    expect(first).toMatchObject({
      status: "error",
      description:
        "Integration test for pr group and scenario of-group did not run, because the group Snapshot could not be created",
    });
    expect(Object.keys(await shown(repository, sha)), "a test of the build is not the group's").not.toContain(
      "Integration Service / of-build / pr group",
    );
    expect((await comments(repository, number)).join()).not.toContain("pr group");

    const members = [{ snapshot: "barred", component: change.component }];
    const group = {
      labels: { [promotionLabels.snapshotType]: "group", [promotionLabels.component]: "" },
      annotations: { [promotionAnnotations.groupMembers]: JSON.stringify(members) },
    };
    await tested("barred-group", group, [{ scenario: "of-group", status: "TestPassed" }]);
    await untilReported("barred-group");
    expect((await shown(repository, sha))[context]).toBe("success");
    await world.restart();
    await tested("barred-later", built(change), [{ scenario: "one", status: "TestPassed" }]);
    await untilReported("barred-later");
    expect((await shown(repository, sha))[context], "it is reported once").toBe("success");
  });

  test("P12: a group that cannot be created is reported once the forge answers, and the results of the group wait for that", async () => {
    const { repository, sha, change } = await onGitea("barred-late", { hasSecret: false });
    const { certificateAuthority, url } = gitea.access;
    await using proxy = await startHttpProxy({ target: new URL(url), upstream: { tls: { ca: certificateAuthority } } });
    const address = repository.address.replace(url, proxy.url.origin);
    await component("barred-slow", address);
    await credentials("barred-slow", address, { password: owner.token });
    await world.application("a7");
    await world.scenario("of-group7", { application: "a7", contexts: [{ name: "group" }] });
    // Meanwhile the group is created after all, and has a result.
    const wait = { "retry-after": "10" };
    proxy.answer({ match: isStatus, times: 1, status: 503, headers: wait, body: "{}" });
    const { labels, annotations } = built({ ...change, component: "barred-slow", url: address });
    await world.snapshot("s7", {
      application: "a7",
      labels,
      annotations: { ...annotations, [promotionAnnotations.groupState]: "forbidden" },
    });
    await proxy.when(isStatus, 1);
    const members = [{ snapshot: "s7", component: "barred-slow" }];
    const group = {
      labels: { [promotionLabels.snapshotType]: "group", [promotionLabels.component]: "" },
      annotations: { [promotionAnnotations.groupMembers]: JSON.stringify(members) },
    };
    await tested("s7-group", group, [{ scenario: "of-group7", status: "TestPassed" }]);
    await untilReported("s7-group");
    expect((await statuses(repository, sha)).map(({ status }) => status)).toEqual(["success", "error"]);
  });

  test.each([
    ["no provider", { provider: "" }, "git-provider is missing"],
    ["an unknown provider", { provider: "svn" }, "expected github, gitlab, gitea or forgejo, got svn"],
    [
      "a repository that is not the Component's",
      { url: "https://forge.example/someone/else" },
      "of the Component only",
    ],
    ["a component that does not exist", { component: "ghost" }, "Component ghost not found"],
  ])("a Snapshot with %s is not reported, and says so once", async (reason, wrong, message) => {
    const name = `s5-${reason.replaceAll(/[^a-z]+/g, "-")}`;
    await component(name, "https://forge.example/acme/web");
    const change = { component: name, url: "https://forge.example/acme/web.git", sha: commit, provider: "gitea" };
    await tested(name, built({ ...change, ...wrong }), [{ scenario: "one", status: "TestPassed" }]);
    const first = await world.waitFor(world.ref("Snapshot", name), (found) => failureOf(found) !== undefined);
    expect(failureOf(first)).toContain(message);
    await world.restart();
    await tested(`${name}-2`, built({ ...change, ...wrong }), [{ scenario: "one", status: "TestPassed" }]);
    await world.waitFor(world.ref("Snapshot", `${name}-2`), (found) => failureOf(found) !== undefined);
    const later = await world.client.get(world.ref("Snapshot", name));
    expect(later.metadata.resourceVersion).toBe(first?.metadata.resourceVersion);
  });
});

/** A build run of Pipelines-as-Code for a pull request. */
async function buildRun(name: string, { component: of, url, sha, provider, pullRequest }: Change) {
  const facts = { "git-provider": provider, "repo-url": url, "source-branch": "feat-x" };
  await world.client.create({
    apiVersion: "tekton.dev/v1",
    kind: "PipelineRun",
    metadata: {
      namespace: world.namespace,
      name,
      labels: {
        [promotionLabels.runType]: "build",
        [promotionLabels.component]: of,
        [`${pacPrefix}sha`]: sha,
        [`${pacPrefix}event-type`]: pullRequest === undefined ? "push" : "pull_request",
        ...(pullRequest === undefined ? {} : { [`${pacPrefix}pull-request`]: String(pullRequest) }),
      },
      annotations: Object.fromEntries(Object.entries(facts).map(([key, value]) => [`${pacPrefix}${key}`, value])),
    },
    spec: {},
  });
}

async function endBuild(name: string, status: "True" | "False") {
  const completionTime = new Date().toISOString();
  const conditions = [{ type: "Succeeded", status, reason: "Test", message: "" }];
  const body = { status: { completionTime, conditions } };
  await world.client.patch(world.ref("PipelineRun", name), { type: "merge", subresource: "status", body });
}

const note = (name: string, annotations: Readonly<Record<string, string>>) =>
  world.client.patch(world.ref("PipelineRun", name), { type: "merge", body: { metadata: { annotations } } });
const until = (name: string, value: string) =>
  world.waitFor(
    world.ref("PipelineRun", name),
    (run) => run?.metadata.annotations?.[promotionAnnotations.buildReport] === value,
  );

describe("reports of builds that are not Snapshots yet", () => {
  test("the tests of a pull request are pending while it is built, until its Snapshot reports them", async () => {
    const { repository, sha, change, number } = await onGitea("early");
    await world.application("b1");
    const { apiVersion, kind } = Component;
    const of = { apiVersion, kind, namespace: world.namespace, name: "early" };
    await world.client.patch(of, { type: "merge", body: { spec: { application: "b1" } } });
    await world.scenario("unit1", { application: "b1" });
    await world.scenario("pushed1", { application: "b1", contexts: [{ name: "push" }] });
    await buildRun("run1", change);
    await until("run1", "BuildPLRInProgress");
    const context = "Integration Service / unit1 / early";
    const [first, ...more] = await statuses(repository, sha);
    expect(more, "a scenario for pushes does not test a pull request").toEqual([]);
    expect(first).toMatchObject({
      context,
      status: "pending",
      description: "Integration test for component early and scenario unit1 waits for the build to finish",
      target_url: `https://console.example/${world.namespace}/run1`,
    });
    expect(await comments(repository, number)).toEqual([]);

    await endBuild("run1", "True");
    const made = built(change);
    await world.snapshot("s-run1", {
      application: "b1",
      ...made,
      labels: { ...made.labels, [promotionLabels.buildRun]: "run1" },
    });
    await world.player.finish(await world.waitForRun("s-run1", "unit1"), passes);
    await world.waitForEntry("s-run1", "unit1", "TestPassed");
    // The controller of builds has not named the Snapshot on the run yet.
    expect(await shown(repository, sha)).toEqual({ [context]: "pending" });
    await note("run1", { [promotionAnnotations.snapshot]: "s-run1" });
    await until("run1", "SnapshotCreated");
    await expect.poll(() => shown(repository, sha)).toEqual({ [context]: "success" });
  });

  test("the tests of a build that failed did not run, and a newer build of the pull request takes their place", async () => {
    const { repository, sha, change } = await onGitea("broken");
    await world.scenario("unit2");
    await buildRun("run2", change);
    await until("run2", "BuildPLRInProgress");
    await endBuild("run2", "False");
    await until("run2", "BuildPLRFailed");
    const context = "Integration Service / unit2 / broken";
    expect(await shown(repository, sha)).toEqual({ [context]: "error" });
    expect((await statuses(repository, sha))[0]?.description).toContain("did not run, because the build failed");

    await buildRun("run3", change);
    await until("run3", "BuildPLRInProgress");
    expect(await shown(repository, sha)).toEqual({ [context]: "pending" });
    await endBuild("run3", "True");
    await note("run3", { [promotionAnnotations.snapshotStatus]: '{"status":"failed","message":"no digest"}' });
    await until("run3", "SnapshotCreationFailed");
    expect(await shown(repository, sha)).toEqual({ [context]: "error" });
  });

  test("a forge that forbids is said on the build run, and is asked once for each state", async () => {
    const { repository, change } = await onGitea("forbidden", { hasSecret: false });
    const useless = await gitea.createToken(owner.name, ["read:user"]);
    await giteaCredentials("forbidden", repository, useless);
    await buildRun("run4", change);
    const run = await until("run4", "BuildPLRInProgress");
    expect(failureOf(run)).toContain("the forge answers 403");
    expect(JSON.stringify(run)).not.toContain(useless);
    await world.restart();
    await buildRun("run5", { ...change, component: "broken" });
    await until("run5", "BuildPLRInProgress");
    const later = await world.client.get(world.ref("PipelineRun", "run4"));
    expect(later.metadata.resourceVersion).toBe(run?.metadata.resourceVersion);
  });

  test("a build of a push is not reported", async () => {
    const { repository, sha, change } = await onGitea("pushed");
    const { pullRequest: _, ...push } = change;
    await buildRun("run6", push);
    const other = await onGitea("beside");
    await buildRun("run7", other.change);
    await until("run7", "BuildPLRInProgress");
    expect(await statuses(repository, sha)).toEqual([]);
  });
});

describe("reports to GitHub and GitLab", () => {
  const repositoryKind = { apiVersion: "pipelinesascode.tekton.dev/v1alpha1", kind: "Repository" };

  /** The kind of Pipelines-as-Code, as far as reports look at it. */
  async function installRepositories(): Promise<void> {
    const object = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
    const schema = { openAPIV3Schema: { type: "object", properties: { spec: object } } };
    await world.client.create({
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "repositories.pipelinesascode.tekton.dev" },
      spec: {
        group: "pipelinesascode.tekton.dev",
        names: { kind: repositoryKind.kind, plural: "repositories" },
        scope: "Namespaced",
        versions: [{ name: "v1alpha1", served: true, storage: true, schema }],
      },
    });
    await world.client.discovery.whenServed(repositoryKind, AbortSignal.timeout(60_000));
  }

  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const key = privateKey.export({ type: "pkcs8", format: "pem" }).toString();

  test("P24: an App reports by check runs, an optional test that failed is neutral, and there is no comment", async () => {
    await using github = await startSampleGithub();
    github.state.open({ head: "feat-x", base: "main", title: "t", body: "" });
    const url = `${github.url}/acme/gitops`;
    await component("app", url);
    await credentials("app", url, { "app-id": "42", "private-key": key });
    const change = {
      component: "app",
      url,
      sha: commit,
      provider: "github",
      pullRequest: 1,
      more: { "installation-id": "7" },
    };
    await tested("s6", built(change), [
      { scenario: "required", status: "TestFail" },
      { scenario: "optional", status: "TestFail", isOptionalScenario: true },
      { scenario: "running", status: "InProgress" },
    ]);
    await untilReported("s6");
    const runs = github.state.checkRuns.map(({ name, status, conclusion, external_id, output }) => ({
      name,
      status,
      conclusion,
      external_id,
      output,
    }));
    expect(runs).toMatchObject([
      {
        name: "Integration Service / optional / app",
        status: "completed",
        conclusion: "neutral",
        external_id: "optional-app",
        output: { title: "Failed" },
      },
      {
        name: "Integration Service / required / app",
        status: "completed",
        conclusion: "failure",
        external_id: "required-app",
        output: { title: "Failed" },
      },
      {
        name: "Integration Service / running / app",
        status: "in_progress",
        external_id: "running-app",
        output: { title: "In Progress" },
      },
    ]);
    expect(github.state.pulls[0]?.comments).toEqual([]);
    expect(github.state.statuses).toEqual([]);
  });

  test.each([
    ["the repository itself", "acme", 1],
    ["a fork", "stranger", 0],
  ])("a token reports a commit of %s, with one comment", async (_, source, count) => {
    await using github = await startSampleGithub();
    github.state.open({ head: "feat-x", base: "main", title: "t", body: "" });
    const url = `${github.url}/acme/gitops`;
    await component(`token-${source}`, url);
    await credentials(`token-${source}`, url, { token: "t0ken-of-github" });
    const more = { "source-repo-url": `${github.url}/${source}/gitops` };
    const change = { component: `token-${source}`, url, sha: commit, provider: "github", pullRequest: 1, more };
    await tested(`s7-${source}`, built(change), [{ scenario: "one", status: "TestWarning" }]);
    await untilReported(`s7-${source}`);
    expect(github.state.statuses.map(({ state }) => state)).toEqual(count === 1 ? ["success"] : []);
    expect(github.state.pulls[0]?.comments).toHaveLength(1);
  });

  test("a Repository of Pipelines-as-Code keeps its own pull requests free of comments, and those of no other", async () => {
    await installRepositories();
    // What a client knows of the cluster's kinds is up to 10 s old.
    await world.restart();
    await using gitlab = await startSampleGitlab();
    gitlab.state.open({ head: "feat-x", base: "main", title: "t", body: "" });
    const url = `${gitlab.url}/acme/gitops`;
    await component("quiet", url);
    await credentials("quiet", url, { password: "t0ken-of-gitlab" });
    const change = { component: "quiet", url, sha: commit, provider: "gitlab", pullRequest: 1 };
    const disabled = { comment_strategy: "disable_all" };
    const repository = (name: string, of: string, forges: object) =>
      world.client.create({
        ...repositoryKind,
        metadata: { name, namespace: world.namespace },
        spec: { url: of, settings: forges },
      });
    await repository("other", `${url}-other`, { gitlab: disabled });
    const own = await repository("own", `${url}.git`, { github: disabled });
    await tested("s9-loud", built(change), [{ scenario: "one", status: "TestPassed" }]);
    await untilReported("s9-loud");
    expect(gitlab.state.pulls[0]?.comments).toHaveLength(1);
    gitlab.state.open({ head: "feat-y", base: "main", title: "t", body: "" });
    await world.client.patch(refOf(own), { type: "merge", body: { spec: { settings: { gitlab: disabled } } } });
    await tested("s9-quiet", built({ ...change, pullRequest: 2 }), [{ scenario: "one", status: "TestPassed" }]);
    await untilReported("s9-quiet");
    expect(gitlab.state.pulls[1]?.comments).toEqual([]);
    expect(gitlab.state.statuses).toHaveLength(2);
  });

  test("GitLab gets a status for each of 50 tests, and one in all for more", async () => {
    await using gitlab = await startSampleGitlab();
    gitlab.state.open({ head: "feat-x", base: "main", title: "t", body: "" });
    const url = `${gitlab.url}/acme/gitops`;
    await component("lab", url);
    await credentials("lab", url, { password: "t0ken-of-gitlab" });
    const change = { component: "lab", url, sha: commit, provider: "gitlab", pullRequest: 1 };
    const entries = Array.from({ length: 51 }, (_, at) => ({ scenario: `s${at}`, status: "TestPassed" }));
    await tested("s8-50", built(change), entries.slice(0, 50));
    await untilReported("s8-50");
    expect(gitlab.state.statuses).toHaveLength(50);
    gitlab.state.statuses.length = 0;
    await tested("s8-51", built(change), entries);
    await untilReported("s8-51");
    expect(gitlab.state.statuses).toMatchObject([
      {
        name: "Integration Service / all tests / lab",
        state: "success",
        description: "51 tests: 0 failed, 0 not finished",
      },
    ]);
    expect(gitlab.state.pulls[0]?.comments).toHaveLength(1);
  });
});
