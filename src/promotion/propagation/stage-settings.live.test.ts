import { execFile } from "node:child_process";
import { mkdtempDisposable, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ForgeProxy, type Shop, type ShopOptions, startForgeProxy, startShop, useGitea } from "#gitea";
import { usePropagation } from "#harness";
import { startEmbeddedRegistry, type TestRegistry } from "#registry";

const world = usePropagation();
const gitea = await useGitea();
const owner = await gitea.createUser();
let registry: TestRegistry;
let forge: ForgeProxy;
beforeAll(async () => {
  registry = await startEmbeddedRegistry();
  forge = await startForgeProxy(gitea);
});
afterAll(async () => {
  await forge[Symbol.asyncDispose]();
  await registry[Symbol.asyncDispose]();
});

const start = (settings: Partial<ShopOptions> = {}): Promise<Shop> =>
  startShop({ world, gitea, forge, registry, owner, settings: { labels: [] }, ...settings });
const stageOf = async ({ name }: Shop) => (await world.read(name)).status?.stages?.[0];
const readyOf = async ({ name }: Shop) =>
  (await world.read(name)).status?.conditions?.find(({ type }) => type === "Ready");
/** What a webhook does. */
const wake = ({ address }: Shop) => world.controller.wake({ kind: "git", names: [address] });
const namespaced = { namespace: world.namespace };
const short = (digest: string) => digest.slice(7, 14);

interface FoundPull {
  readonly number: number;
  readonly title: string;
  readonly state: string;
  readonly head: { readonly ref: string };
}

const pullsOf = ({ repository }: Shop): Promise<FoundPull[]> =>
  gitea.expect("GET", `${repository.path}/pulls?state=all&sort=oldest`);

async function merge({ repository }: Shop, number: number): Promise<void> {
  // Gitea answers 405 while it still checks whether it can.
  await expect
    .poll(() => gitea.call("POST", `${repository.path}/pulls/${number}/merge`, { Do: "merge" }, owner.token))
    .toMatchObject({ status: 200 });
}

/** A file for each image, so that one pull request does not conflict with the other. */
const fileEach =
  (...components: readonly string[]) =>
  (prefix: string) =>
    Object.fromEntries(components.map((one) => [`${one}.yaml`, `image: ${prefix}/${one}:released\n`]));

describe("a stage with perComponent", () => {
  test("gets a pull request for each component, of which a newer release changes its own and no other", async () => {
    await using shop = await start({
      components: ["web", "api"],
      files: fileEach("web", "api"),
      stage: { perComponent: true },
    });
    const [web, api] = [await shop.release("web"), await shop.release("api")];
    await shop.look();
    await expect.poll(() => stageOf(shop)).toMatchObject({ state: "Proposed" });
    const pullOf = (component: string, digest: string) => ({
      title: `Promote ${shop.name}: ${component} to ${short(digest)}`,
      state: "open",
      head: { ref: `${shop.branch}.${component}` },
    });
    expect(await pullsOf(shop)).toMatchObject([pullOf("web", web), pullOf("api", api)]);
    const newer = await shop.release("api");
    await shop.look();
    await expect.poll(() => pullsOf(shop)).toMatchObject([pullOf("web", web), pullOf("api", newer)]);
    expect(await gitea.readFile(shop.repository, "web.yaml", `${shop.branch}.api`)).not.toContain("sha256");
  });

  test("proposes images of one name together, because their branch would be the same", async () => {
    await using shop = await start({
      components: ["web", "mirror/web"],
      files: fileEach("web", "mirror/web"),
      stage: { perComponent: true },
    });
    const digests = [await shop.release("web"), await shop.release("mirror/web")];
    await shop.look();
    await expect.poll(() => stageOf(shop)).toMatchObject({ state: "Proposed", proposals: [{ state: "Proposed" }] });
    const branch = `${shop.branch}.web`;
    expect(await pullsOf(shop)).toMatchObject([{ number: 1, state: "open", head: { ref: branch } }]);
    const files = ["web.yaml", "mirror/web.yaml"].map((file) => gitea.readFile(shop.repository, file, branch));
    expect(await Promise.all(files)).toEqual(digests.map((digest) => expect.stringContaining(digest)));
  });
});

describe("limits of a stage", () => {
  test("maxOpen holds the second pull request back until the first is merged", async () => {
    await using shop = await start({
      components: ["web", "api"],
      files: fileEach("web", "api"),
      stage: { perComponent: true, maxOpen: 1 },
    });
    await shop.release("web");
    await shop.release("api");
    await shop.look();
    const message = "maxOpen: 1 pull requests from promotion/ are open; merge or close some";
    await expect.poll(() => stageOf(shop)).toMatchObject({ state: "Limited", message });
    expect(await pullsOf(shop)).toHaveLength(1);
    await merge(shop, 1);
    wake(shop);
    await expect.poll(() => pullsOf(shop)).toMatchObject([{ state: "closed" }, { number: 2, state: "open" }]);
    await expect
      .poll(() => stageOf(shop))
      .toMatchObject({ proposals: [{ state: "UpToDate" }, { state: "Proposed", pullRequest: { number: 2 } }] });
  });

  test("minInterval holds a newer digest back, and says until when", async () => {
    const stage: Record<string, unknown> = { minInterval: "1h" };
    await using shop = await start({ stage });
    const first = await shop.release();
    await shop.look();
    await expect.poll(() => shop.proposedState(first)).toBe("Proposed");
    const second = await shop.release();
    await shop.look();
    await expect.poll(() => shop.proposedState(second)).toBe("Limited");
    const { message, proposals } = (await stageOf(shop)) ?? {};
    const until = Date.parse(proposals?.[0]?.pushedAt ?? "") + 3_600_000;
    expect(message).toMatch(/^minInterval: the next proposal waits until \S+$/);
    expect(Date.parse(message?.split(" ").at(-1) ?? "")).toBe(until);
    expect(await pullsOf(shop)).toMatchObject([{ title: expect.stringContaining(short(first)) }]);
    stage["minInterval"] = "1s";
    await shop.look();
    await expect.poll(() => shop.proposedState(second)).toBe("Proposed");
    expect(await pullsOf(shop)).toMatchObject([{ number: 1, title: expect.stringContaining(short(second)) }]);
  });
});

test("a suspended Propagation says why and asks no one, and goes on where it stopped", async () => {
  await using shop = await start();
  const first = await shop.release();
  await shop.look();
  await expect.poll(() => shop.proposedState(first)).toBe("Proposed");
  await setSpec(shop, { suspend: { reason: "the shop is closed until Monday" } });
  await expect
    .poll(() => readyOf(shop))
    .toMatchObject({ status: "False", reason: "Suspended", message: "the shop is closed until Monday" });
  const asked = shop.requests().length;
  const second = await shop.release();
  await shop.look();
  wake(shop);
  await expect.poll(() => world.controller.controllers[0]?.running()).toEqual([]);
  expect(shop.requests().length).toBe(asked);
  expect(await pullsOf(shop)).toMatchObject([{ title: expect.stringContaining(short(first)) }]);
  await setSpec(shop, {});
  await expect.poll(() => shop.proposedState(second)).toBe("Proposed");
  expect(await pullsOf(shop)).toMatchObject([{ number: 1, title: expect.stringContaining(short(second)) }]);
});

/** What other people than the one who made the Propagation set in it. */
async function setSpec({ name }: Shop, spec: Readonly<Record<string, unknown>>): Promise<void> {
  const object = { apiVersion: "tenon.dev/v1alpha1", kind: "Propagation", metadata: { ...namespaced, name }, spec };
  await world.client.apply(object, { fieldManager: "another-person", force: true });
}

describe("spec.identity", () => {
  const identity = { name: "Shop Bot", email: "bot@shop.example" };

  test("is the author of the commit, and its key signs it", async () => {
    await using directory = await mkdtempDisposable(join(tmpdir(), "tenon-signing-"));
    const file = join(directory.path, "key");
    await promisify(execFile)("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", file]);
    await using shop = await start();
    await world.createSecret("signing-key", { "ssh-privatekey": await readFile(file, "utf8") });
    const digest = await shop.release();
    await shop.look();
    await setSpec(shop, { identity: { ...identity, signingKey: "signing-key" } });
    await shop.release();
    await shop.look();
    expect(digest).toMatch(/^sha256:/);
    await expect
      .poll(() => gitea.expect("GET", `${shop.repository.path}/git/commits/${encodeURIComponent(shop.branch)}`))
      .toMatchObject({
        commit: {
          author: identity,
          verification: { signature: expect.stringMatching(/^-----BEGIN SSH SIGNATURE-----/) },
        },
      });
  });

  test("with a key that cannot sign is a condition that names the field, and nothing is pushed", async () => {
    await using shop = await start();
    await world.createSecret("no-key", { "ssh-privatekey": "nonsense" });
    await shop.look();
    await setSpec(shop, { identity: { signingKey: "no-key" } });
    await shop.release();
    await shop.look();
    const says =
      /^spec\.identity\.signingKey: commits cannot be signed: the key is not a valid ssh key; give an OpenSSH/;
    await expect.poll(() => readyOf(shop)).toMatchObject({ status: "False", message: expect.stringMatching(says) });
    expect((await shop.readRepository()).branches).toEqual(["main"]);
  });
});

test("a service account that may not read the Secret is a condition that names the field and the missing right", async () => {
  await using shop = await start();
  await shop.look();
  await setSpec(shop, { serviceAccountName: "without-rights" });
  await shop.release();
  await shop.look();
  const says =
    /^spec\.stages\[stage\]\.forge\.certificateAuthority: service account \S+:without-rights may not get ConfigMap (\S+); allow it: (kubectl .*), then (kubectl .*)$/;
  await expect.poll(() => readyOf(shop)).toMatchObject({ status: "False", message: expect.stringMatching(says) });
  const { conditions = [] } = (await world.read(shop.name)).status ?? {};
  expect(conditions.map(({ type }) => type).toSorted()).toEqual(["Ready", "Stalled"]);
  expect(shop.requests()).toEqual([]);
});

describe("commitToBase", () => {
  const settings = { kind: "plain", labels: [], commitToBase: true };

  test("changes the base by one commit, without a branch or a pull request, and then has nothing to do", async () => {
    await using shop = await start({ settings });
    const digest = await shop.release();
    await shop.look();
    await expect.poll(() => shop.proposedState(digest)).toBe("UpToDate");
    expect(await gitea.readFile(shop.repository, "app.yaml", "main")).toContain(`:released@${digest} # moves`);
    const commits = await gitea.expect("GET", `${shop.repository.path}/commits?sha=main`);
    expect(commits.map((one: { commit: { message: string } }) => one.commit.message.split("\n")[0])).toEqual([
      `Promote ${shop.name}: web to ${short(digest)}`,
      "as a person",
    ]);
    expect((await shop.readRepository()).branches).toEqual(["main"]);
    expect(await pullsOf(shop)).toEqual([]);
  });

  test("on a protected base is a condition that names the field, and what else can be done", async () => {
    await using shop = await start({ settings });
    const rule = { rule_name: "main", enable_push: false };
    await gitea.expect("POST", `${shop.repository.path}/branch_protections`, rule, owner.token);
    await shop.release();
    await shop.look();
    const says =
      /^spec\.stages\[stage\]\.branch: https\S+: the server does not allow Tenon to push to branch main; allow the account to push to this branch, or remove commitToBase/;
    await expect.poll(() => readyOf(shop)).toMatchObject({ status: "False", message: expect.stringMatching(says) });
    expect(await gitea.readFile(shop.repository, "app.yaml", "main")).not.toContain("sha256");
  });
});

test("P52: where another program has an open pull request with the same digest, Tenon pushes nothing and names it", async () => {
  await using shop = await start();
  const digest = await shop.release();
  const theirs = "renovate/web-released";
  const text = (await gitea.readFile(shop.repository, "app.yaml", "main")) ?? "";
  await gitea.expect("POST", `${shop.repository.path}/branches`, { new_branch_name: theirs }, owner.token);
  await gitea.commit(shop.repository, { "app.yaml": text.replace(":released", `:released@${digest}`) }, theirs);
  const title = `Update web:released Docker digest to ${short(digest)}`;
  await gitea.expect("POST", `${shop.repository.path}/pulls`, { title, head: theirs, base: "main" }, owner.token);
  await shop.look();
  await expect
    .poll(() => stageOf(shop))
    .toMatchObject({
      state: "ProposedElsewhere",
      message: expect.stringMatching(/^pull request 1 proposes the same digests: https\S+\/pulls\/1$/),
    });
  expect((await shop.readRepository()).branches).toEqual(["main", theirs]);
  expect(await pullsOf(shop)).toMatchObject([{ number: 1, title }]);
  await merge(shop, 1);
  wake(shop);
  await expect.poll(() => stageOf(shop)).toMatchObject({ state: "UpToDate" });
  expect(await pullsOf(shop)).toHaveLength(1);
});
