import { afterAll, expect, test } from "vitest";
import { type GiteaRepository, startGitea, TestGitea } from "#gitea";
import { usePropagation } from "#harness";
import { SamplePusher, startLibraryRegistry } from "#registry";
import { ensureRenovate, runRenovate } from "./run-renovate.ts";

const renovate = await ensureRenovate();
const cleanup = new AsyncDisposableStack();
afterAll(() => cleanup.disposeAsync());
const registry = cleanup.use(await startLibraryRegistry());
const access = cleanup.use(await startGitea());
const gitea = cleanup.use(new TestGitea(access));
const world = usePropagation();

/** What a team keeps in its GitOps repository, in the forms that Renovate reads. */
function gitopsFiles(image: string, digest: string): Record<string, string> {
  return {
    "deploy/web.yaml": `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  template:
    spec:
      containers:
        - name: web
          image: ${image}:released@${digest} # moves
`,
    "kustomization.yaml": `images:
  - name: web
    newName: ${image}
    newTag: released@${digest}
`,
    "values.yaml": `image:
  repository: ${image}
  tag: released@${digest}
`,
  };
}

const fileNames = Object.keys(gitopsFiles("", ""));

/** What Renovate must find: each file with this digest, and what it proposes instead. */
function findings(digest: string, ...proposed: readonly string[]) {
  return fileNames.map((file) => ({ file, digest, proposed }));
}

/** An image with a tag that moves, and a repository that refers to the digest that it had first. */
async function prepare(name: string) {
  const pusher = new SamplePusher(registry.url, name);
  const image = `${registry.host}/${name}`;
  const first = (await pusher.index("released")).digest;
  const repository = await gitea.createRepository(gitopsFiles(image, first));
  const move = async () => (await pusher.index("released")).digest;
  const runOnce = () => runRenovate(renovate, { gitea: access, repository, registry: registry.host });
  return { image, first, repository, move, runOnce };
}

async function readFiles({ path }: GiteaRepository, ref: string): Promise<Record<string, string>> {
  const read = async (file: string) => {
    const { content } = await gitea.expect("GET", `${path}/contents/${file}?ref=${encodeURIComponent(ref)}`);
    return [file, Buffer.from(content, "base64").toString()];
  };
  return Object.fromEntries(await Promise.all(fileNames.map(read)));
}

const pullsOf = ({ path }: GiteaRepository) => gitea.expect("GET", `${path}/pulls?state=all`);

/** Lets Tenon follow the image into the repository. `look` is what a webhook does. */
async function propagate({ address, owner }: GiteaRepository, image: string) {
  await world.createSecret("web", { token: owner.token });
  await world.client.create({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { namespace: world.namespace, name: "gitea" },
    data: { "ca.crt": access.certificateAuthority },
  });
  const forge = { kind: "gitea", credentials: "web", certificateAuthority: "gitea" };
  await world.apply("web", {
    source: { images: [{ repository: image, tag: "released" }], interval: "1h" },
    stages: [{ name: "stage", repository: address, branch: "main", forge }],
  });
  return {
    look: () => world.controller.wake({ kind: "git", names: [address] }),
    status: async () => (await world.read("web")).status?.stages?.[0],
  };
}

test("P60: Renovate alone turns a moved tag into one pull request that changes only digests, and a second run leaves it as it is", async () => {
  const { image, first, repository, move, runOnce } = await prepare("acme/alone");
  expect(await runOnce()).toEqual(findings(first));
  expect(await pullsOf(repository)).toEqual([]);

  const second = await move();
  expect(await runOnce()).toEqual(findings(first, second));
  const pulls = await pullsOf(repository);
  expect(pulls).toMatchObject([{ number: 1, state: "open", base: { ref: "main" } }]);
  const [{ head }] = pulls;
  expect(await readFiles(repository, head.ref)).toEqual(gitopsFiles(image, second));
  expect(await gitea.expect("GET", `${repository.path}/pulls/1/commits`)).toHaveLength(1);

  expect(await runOnce()).toEqual(findings(first, second));
  expect(await pullsOf(repository)).toMatchObject([{ number: 1, state: "open", head: { sha: head.sha } }]);
});

test("P52: Renovate opens nothing for a digest that Tenon's pull request brought, and Tenon nothing for one that Renovate proposes", async () => {
  const { image, repository, move, runOnce } = await prepare("acme/together");
  const second = await move();
  const { look, status } = await propagate(repository, image);
  await expect.poll(status).toMatchObject({ state: "Proposed" });
  const [{ number }] = await pullsOf(repository);
  const merge = () =>
    gitea.call("POST", `${repository.path}/pulls/${number}/merge`, { Do: "merge" }, repository.owner.token);
  // Gitea answers 405 while it still computes whether there are conflicts.
  await expect.poll(async () => (await merge()).status).toBe(200);
  expect(await readFiles(repository, "main")).toEqual(gitopsFiles(image, second));
  expect(await runOnce()).toEqual(findings(second));
  expect(await pullsOf(repository)).toMatchObject([{ number: 1, merged: true }]);

  const third = await move();
  expect(await runOnce()).toEqual(findings(second, third));
  look();
  await expect.poll(status).toMatchObject({
    message: expect.stringMatching(/^pull request 2 proposes the same digests: /),
  });
  const pulls = await pullsOf(repository);
  expect(pulls).toMatchObject([
    { number: 2, state: "open" },
    { number: 1, merged: true },
  ]);
  expect(await readFiles(repository, pulls[0].head.ref)).toEqual(gitopsFiles(image, third));
});
