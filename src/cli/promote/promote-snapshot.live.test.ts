import { Readable } from "node:stream";
import { beforeAll, expect, test } from "vitest";
import { testKubeconfig, useTesting } from "#harness";
import type { KubeObject } from "#kube";
import { Component, Snapshot } from "#promotion";
import { FakeShell } from "../fake-shell.fixture.ts";
import { runCommandLine } from "../run-command-line.ts";

const world = useTesting();
const imageOf = (component: string, digit: string) => `reg.local:5000/acme/${component}@sha256:${digit.repeat(64)}`;
const asked = imageOf("web", "7");
const gitOf = (component: string) => ({ url: `https://git.example/acme/${component}` });

beforeAll(async () => {
  await world.scenario("by-hand", { contexts: [{ name: "override", description: "made by a person" }] });
  for (const name of ["web", "api", "new"]) {
    await world.client.create({
      apiVersion: Component.apiVersion,
      kind: Component.kind,
      metadata: { name, namespace: world.namespace },
      spec: { componentName: name, application: "shop", source: { git: gitOf(name) } },
    });
    if (name !== "new") await setCandidate(name, imageOf(name, "1"));
  }
});

async function setCandidate(name: string, image: string): Promise<void> {
  const { apiVersion, kind } = Component;
  const body = { status: { lastPromotedImage: image, lastBuiltCommit: "c0ffee" } };
  const ref = { apiVersion, kind, namespace: world.namespace, name };
  await world.client.patch(ref, { type: "merge", subresource: "status", body });
}

function fakeShell(typed?: readonly string[]) {
  return new FakeShell({ env: { NO_COLOR: "1", KUBECONFIG: testKubeconfig() }, ...(typed ? { typed } : {}) });
}

async function promote(words: readonly string[], shell = fakeShell()) {
  const exitCode = await runCommandLine(["promote", "snapshot", "-n", world.namespace, ...words], shell);
  return { exitCode, stdout: shell.stdout.text, stderr: shell.stderr.text };
}

async function snapshots(): Promise<readonly KubeObject[]> {
  const { apiVersion, kind } = Snapshot;
  return (await world.client.list({ apiVersion, kind, namespace: world.namespace })).items;
}

const plan = () => `a Snapshot of ${world.namespace}/shop, whose images become the candidates of their components:
  api: 1111111, as it is
  web: 1111111 -> ${asked}
left out, because they have no image yet: new
`;

test("`tenon promote snapshot --dry-run` shows what it would make, and makes nothing", async () => {
  const shown = await promote(["shop", "--image", `web=${asked}`, "--dry-run"]);
  expect(shown).toEqual({ exitCode: 0, stdout: plan(), stderr: "" });
  expect(await snapshots()).toEqual([]);
});

test("who does not say yes gets no Snapshot", async () => {
  const refused = await promote(["shop", "--image", `web=${asked}`], fakeShell(["no"]));
  expect(refused).toMatchObject({
    exitCode: 1,
    stdout: plan(),
    stderr: expect.stringContaining("nothing was created"),
  });
  expect(await snapshots()).toEqual([]);
});

test("a candidate that changes while the person thinks is not put back", async () => {
  const shell = fakeShell([]);
  async function* think() {
    await setCandidate("api", imageOf("api", "2"));
    yield "yes\n";
  }
  Object.assign(shell, { stdin: Object.assign(Readable.from(think()), { isTTY: true }) });
  const refused = await promote(["shop", "--image", `web=${asked}`], shell);
  expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("the candidates have changed") });
  expect(await snapshots()).toEqual([]);
  await setCandidate("api", imageOf("api", "1"));
});

test.for([
  { reason: "a tag without a digest", words: ["shop", "--image", "web=reg.local/web:1"], message: "has no digest" },
  { reason: "an unknown component", words: ["shop", "--image", `wob=${asked}`], message: "it has api, new, web" },
  { reason: "an image of no component", words: ["shop", "--image", asked], message: "--image COMPONENT=" },
  {
    reason: "one component twice",
    words: ["shop", "--image", `web=${asked}`, "--image", `web=${asked}`],
    message: "leave one of them out",
  },
  { reason: "an unknown application", words: ["shap"], message: "correct the name" },
])("`tenon promote snapshot` refuses $reason, and says what to do", async ({ words, message }) => {
  const refused = await promote([...words, "--yes"]);
  expect(refused).toMatchObject({ exitCode: 1, stdout: "", stderr: expect.stringContaining(message) });
  expect(await snapshots()).toEqual([]);
});

test("who says yes gets an override Snapshot of the given image and the other candidates, which is tested", async () => {
  const made = await promote(["shop", "--image", `web=${asked}`], fakeShell(["yes"]));
  const [snapshot, ...others] = await snapshots();
  expect(others).toEqual([]);
  const key = `${world.namespace}/${snapshot?.metadata.name}`;
  expect(made).toMatchObject({
    exitCode: 0,
    stdout: `${plan()}Snapshot ${key} created\nnext: tenon explain snapshot/${key}\n`,
  });
  expect(snapshot).toMatchObject({
    metadata: {
      name: expect.stringMatching(/^shop-\d{8}-\d{6}-\d{3}$/),
      labels: { "test.appstudio.openshift.io/type": "override", "appstudio.openshift.io/application": "shop" },
    },
    spec: {
      application: "shop",
      components: [
        { name: "api", containerImage: imageOf("api", "1"), source: { git: { ...gitOf("api"), revision: "c0ffee" } } },
        { name: "web", containerImage: asked, source: { git: gitOf("web") } },
      ],
    },
  });
  await world.waitForRun(snapshot?.metadata.name ?? "", "by-hand");
});
