import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ForgeProxy, type GiteaRepository, startForgeProxy, startShop, useGitea } from "#gitea";
import { startHttpProxy } from "#faults";
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

type ShopSettings = Partial<Parameters<typeof startShop>[0]>;

/** A repository on Gitea, and a Propagation of one stage that follows an image. */
async function start(settings: ShopSettings = {}) {
  const shop = await startShop({ world, gitea, forge, registry, owner, settings: { labels: [] }, ...settings });
  const { repository, branch, name } = shop;
  return {
    ...shop,
    apply: () => shop.look(),
    /** What a webhook of a registry or a forge does. */
    look: () => world.controller.wake({ kind: "git", names: [shop.address] }),
    status: async () => (await world.read(name)).status?.stages?.[0],
    ready: async () => (await world.read(name)).status?.conditions?.find(({ type }) => type === "Ready"),
    pulls: (): Promise<GiteaPull[]> => gitea.expect("GET", `${repository.path}/pulls?state=all&sort=oldest`),
    comments: (): Promise<{ body: string }[]> => gitea.expect("GET", `${repository.path}/issues/1/comments`),
    commits: () => commitsOf(repository, `main...${encodeURIComponent(branch)}`),
    head: (of: string): Promise<string | undefined> => headOf(repository, of),
    change: (number: number, change: object) =>
      gitea.expect("PATCH", `${repository.path}/pulls/${number}`, change, owner.token),
    merge: async (number: number) => {
      const merging = { Do: "merge" };
      // Gitea answers 405 while it still checks whether it can.
      await expect
        .poll(() => gitea.call("POST", `${repository.path}/pulls/${number}/merge`, merging, owner.token))
        .toMatchObject({ status: 200 });
    },
    /** Methods and paths below the repository of all requests from one on; GETs and fetches of git change nothing. */
    writes: (from = 0) =>
      shop
        .requests()
        .slice(from)
        .filter(({ method, path }) => method !== "GET" && !path.endsWith("/git-upload-pack"))
        .map(({ method, path }) => `${method} ${path.replace(/^.*\/gitops-\w+/, "")}`),
  };
}

interface GiteaPull {
  readonly number: number;
  readonly title: string;
  readonly body: string;
  readonly state: string;
  readonly merged: boolean;
  readonly merge_commit_sha: string | null;
  readonly labels: readonly { readonly name: string }[];
}

async function commitsOf({ path }: GiteaRepository, range: string) {
  const { commits } = await gitea.expect("GET", `${path}/compare/${range}`);
  return commits.map((one: { commit: { message: string; author: { name: string; email: string } } }) => one.commit);
}

async function headOf({ path }: GiteaRepository, branch: string): Promise<string | undefined> {
  const { status, body } = await gitea.call("GET", `${path}/branches/${encodeURIComponent(branch)}`);
  return status === 200 ? body.commit.id : undefined;
}

const short = (digest: string) => digest.slice(7, 14);
/** The controller has nothing under way. */
async function idle(): Promise<void> {
  await expect.poll(() => world.controller.controllers[0]?.running()).toEqual([]);
}

const everyForm = (image: string) => ({
  "deploy.yaml": `# keep\nspec:\n  image: "${image}/web:released"   # moves\n`,
  "kustomization.yaml": `images:\n- name: ${image}/web\n  newTag: released\n`,
  "values.yaml": `image: {repository: ${image}/web, tag: released} # one line\r\nother: 1\r\n`,
  "anchor.yaml": `a: &image ${image}/web:released\nb: *image\n`,
  "pinned.yaml": `image: ${image}/web:v1\n`,
  "foreign.yaml": "image: other.example/web:released\n",
});

describe("a Propagation of one stage, on a real Gitea", () => {
  test("P46: a release becomes one pull request of one commit that changes digests alone", async () => {
    await using shop = await start({ files: everyForm, settings: { labels: ["promotion"] } });
    const digest = await shop.release();
    await shop.apply();
    await expect.poll(shop.status).toMatchObject({
      state: "Proposed",
      message: "merge pull request 1, or close it to decline",
      target: { digests: { [`${shop.image}:released`]: digest } },
    });
    // Also with a label that the repository does not have yet.
    expect(shop.requests().length).toBeLessThanOrEqual(12);
    const title = `Promote ${shop.name}: web to ${short(digest)}`;
    const [pull, ...more] = await shop.pulls();
    expect(more).toEqual([]);
    expect(pull).toMatchObject({ number: 1, title, state: "open", body: expect.stringContaining(digest) });
    expect(pull?.labels).toMatchObject([{ name: "promotion" }]);
    expect(await shop.commits()).toMatchObject([
      {
        author: { name: "Tenon", email: "tenon@localhost" },
        message: `${title}\n\nPropagation: ${world.namespace}/${shop.name}\nStage: stage\nImage: ${shop.image}:released@${digest}\n`,
      },
    ]);
    const before = everyForm(shop.image.replace(/\/web$/, ""));
    const found = Object.keys(before).map(async (file) => [
      file,
      await gitea.readFile(shop.repository, file, shop.branch),
    ]);
    const expected = Object.entries(before).map(([file, text]) => {
      const isEdited = !/pinned|foreign/.test(file);
      return [file, isEdited ? text.replace(/(\/web:released|[tT]ag: released)/, `$1@${digest}`) : text];
    });
    expect(await Promise.all(found)).toEqual(expected);
    await expect.poll(shop.ready).toMatchObject({ status: "True", message: "stage: Proposed" });
  });

  test("P47: a newer release replaces the commit in the same pull request, and without a change nothing is written", async () => {
    await using shop = await start();
    const first = await shop.release();
    await shop.apply();
    await expect.poll(shop.status).toMatchObject({ state: "Proposed" });
    await gitea.commit(shop.repository, { "other.yaml": "a: 1\n" });
    const second = await shop.release();
    shop.look();
    await expect.poll(shop.pulls).toMatchObject([{ number: 1, title: expect.stringContaining(short(second)) }]);
    await expect.poll(shop.commits).toHaveLength(1);
    expect(await commitsOf(shop.repository, `${encodeURIComponent(shop.branch)}...main`)).toEqual([]);
    const [pull] = await shop.pulls();
    expect(pull?.body).toMatch(new RegExp(`Superseded[^]*${short(first)}`));

    const head = await shop.head(shop.branch);
    await expect.poll(async () => (await shop.status())?.proposals[0]?.finished).toBe(head);
    const version = async () => (await world.read(shop.name)).metadata.resourceVersion;
    const [before, asked] = [await version(), shop.requests().length];
    shop.look();
    await expect.poll(() => shop.requests().length).toBeGreaterThan(asked + 2);
    await idle();
    expect(shop.writes(asked)).toEqual([]);
    expect(await version()).toBe(before);
  });

  test("P47: a base that comes to conflict gets the same commit on top, in the same pull request", async () => {
    await using shop = await start();
    const digest = await shop.release();
    await shop.apply();
    await expect.poll(shop.status).toMatchObject({ state: "Proposed" });
    const base = await gitea.commit(shop.repository, { "app.yaml": `image: ${shop.image}:released # by hand again\n` });
    // Gitea finds out about the conflict in the background.
    await expect
      .poll(async () => {
        shop.look();
        return (await shop.status())?.proposals[0]?.base;
      })
      .toBe(base);
    await expect
      .poll(() => gitea.readFile(shop.repository, "app.yaml", shop.branch))
      .toBe(`image: ${shop.image}:released@${digest} # by hand again\n`);
    expect(await shop.commits()).toHaveLength(1);
    expect(await shop.pulls()).toMatchObject([{ number: 1, state: "open" }]);
    await shop.merge(1);
  });

  test("P48: after a person pushed to the branch, Tenon leaves it alone and says so once, until its pull request is closed", async () => {
    await using shop = await start();
    await shop.release();
    await shop.apply();
    await expect.poll(shop.status).toMatchObject({ state: "Proposed" });
    const theirs = await gitea.commit(shop.repository, { "by-hand.yaml": "a: 1\n" }, shop.branch);
    await shop.release();
    shop.look();
    await expect
      .poll(shop.status)
      .toMatchObject({ state: "Manual", message: expect.stringContaining("merge or close pull request 1") });
    const asked = shop.requests().length;
    await shop.release();
    shop.look();
    await expect.poll(() => shop.requests().length).toBeGreaterThan(asked + 2);
    await idle();
    expect(shop.writes(asked)).toEqual([]);
    expect((await shop.status())?.proposals[0]?.takenOver).toBe(theirs);
    expect(await shop.head(shop.branch)).toBe(theirs);
    expect(await shop.comments()).toHaveLength(1);
    expect(await shop.pulls()).toMatchObject([{ labels: [{ name: "promotion/manual" }] }]);

    await shop.change(1, { state: "closed" });
    await gitea.expect("DELETE", `${shop.repository.path}/branches/${encodeURIComponent(shop.branch)}`);
    const newest = await shop.release();
    shop.look();
    await expect
      .poll(shop.pulls)
      .toMatchObject([{ state: "closed" }, { state: "open", title: expect.stringContaining(short(newest)) }]);
  });

  test("P49: a closed pull request declines its digest and no other, and a merged one ends with its branch", async () => {
    await using shop = await start();
    const declined = await shop.release();
    await shop.apply();
    await expect.poll(shop.status).toMatchObject({ state: "Proposed" });
    await shop.change(1, { state: "closed" });
    shop.look();
    await expect.poll(shop.status).toMatchObject({ state: "Declined" });
    expect((await shop.status())?.proposals[0]?.declined).toEqual([{ [`${shop.image}:released`]: declined }]);
    shop.look();
    const next = await shop.release();
    shop.look();
    await expect.poll(shop.status).toMatchObject({ state: "Proposed", proposals: [{ pullRequest: { number: 2 } }] });
    await shop.merge(2);
    shop.look();
    await expect
      .poll(shop.status)
      .toMatchObject({ state: "UpToDate", proposals: [{ pullRequest: { state: "merged" } }] });
    const [, merged] = await shop.pulls();
    expect((await shop.status())?.merged).toMatchObject({
      digests: { [`${shop.image}:released`]: next },
      commit: merged?.merge_commit_sha,
    });
    expect(await shop.head(shop.branch)).toBeUndefined();
    expect(await shop.pulls()).toHaveLength(2);
    const { body } = await world.metrics.expose();
    expect(body).toMatch(/promotion_propagation_pr_total\{forge="gitea",outcome="merged"\} \d/);
  });

  test("P49: a pull request is closed with a note when the base has its digests already", async () => {
    await using shop = await start();
    const digest = await shop.release();
    await shop.apply();
    await expect.poll(shop.status).toMatchObject({ state: "Proposed" });
    const original = await gitea.readFile(shop.repository, "app.yaml", "main");
    await gitea.commit(shop.repository, { "app.yaml": `image: ${shop.image}:released@${digest}\n` });
    shop.look();
    await expect.poll(shop.status).toMatchObject({ state: "UpToDate" });
    expect(await shop.pulls()).toMatchObject([{ number: 1, state: "closed", merged: false }]);
    expect(await shop.comments()).toMatchObject([{ body: expect.stringContaining("has these digests already") }]);
    expect(await shop.head(shop.branch)).toBeUndefined();
    await gitea.commit(shop.repository, { "app.yaml": original ?? "" });
    shop.look();
    await expect.poll(shop.pulls).toMatchObject([{ state: "closed" }, { number: 2, state: "open" }]);
  });

  test("P49: with autoMerge, Gitea merges when the required check has passed, and Tenon ends the branch", async () => {
    await using shop = await start({ settings: { autoMerge: "squash" } });
    const rule = { rule_name: "main", enable_status_check: true, status_check_contexts: ["tests"] };
    await gitea.expect("POST", `${shop.repository.path}/branch_protections`, rule, owner.token);
    const digest = await shop.release();
    await shop.apply();
    await expect
      .poll(shop.status)
      .toMatchObject({ state: "Proposed", message: "the forge merges pull request 1 when its rules allow it" });
    expect(await shop.pulls()).toMatchObject([{ state: "open" }]);
    const passed = { context: "tests", state: "success" };
    await gitea.expect("POST", `${shop.repository.path}/statuses/${await shop.head(shop.branch)}`, passed, owner.token);
    await expect.poll(shop.pulls).toMatchObject([{ merged: true }]);
    shop.look();
    await expect
      .poll(shop.status)
      .toMatchObject({ state: "UpToDate", merged: { digests: { [`${shop.image}:released`]: digest } } });
    expect((await shop.status())?.merged?.commit).toBe(await shop.head("main"));
    expect(await shop.head(shop.branch)).toBeUndefined();
  });

  test("P49: without a forge, a branch that is deleted after its merge is not declined, and one that is deleted before is", async () => {
    await using shop = await start({ settings: { kind: "plain", labels: [] } });
    const deleteBranch = () =>
      gitea.expect("DELETE", `${shop.repository.path}/branches/${encodeURIComponent(shop.branch)}`);
    const proposal = async () => (await shop.status())?.proposals[0];
    const merged = await shop.release();
    await shop.apply();
    await expect.poll(shop.status).toMatchObject({ state: "Proposed" });
    await gitea.commit(shop.repository, { "app.yaml": `image: ${shop.image}:released@${merged}\n` });
    await deleteBranch();
    shop.look();
    await expect.poll(proposal).toMatchObject({ state: "UpToDate" });
    const declined = await shop.release();
    shop.look();
    await expect.poll(proposal).toMatchObject({ state: "Proposed" });
    await deleteBranch();
    shop.look();
    await expect.poll(proposal).toMatchObject({
      state: "Declined",
      message: expect.stringContaining("was deleted without a merge"),
      declined: [{ [`${shop.image}:released`]: declined }],
    });
    expect(await shop.pulls()).toEqual([]);
  });

  test("P50: three components go into one pull request, which lists the one that no file refers to", async () => {
    await using shop = await start({
      files: (image) => ({ "all.yaml": `- image: ${image}/web:released\n- image: ${image}/api:released\n` }),
      components: ["web", "api", "batch"],
    });
    for (const component of ["web", "api", "batch"]) await shop.release(component);
    await shop.apply();
    await expect.poll(shop.pulls).toMatchObject([{ title: `Promote ${shop.name} (2 components)` }]);
    const [pull] = await shop.pulls();
    expect(pull?.body).toMatch(/Not referenced in this repository:\n\n- `[^`]*\/batch:released`/);
  });

  test("a Propagation with nothing to do asks for its tag with one HEAD an interval, and writes nothing", async () => {
    await using counted = await startHttpProxy({ target: registry.url });
    const host = counted.url.host;
    await using shop = await start({ registry: { url: registry.url, host }, source: { interval: "1s" } });
    await shop.release();
    await shop.apply();
    await expect.poll(shop.status).toMatchObject({ state: "Proposed" });
    await shop.merge(1);
    shop.look();
    await expect.poll(shop.status).toMatchObject({ state: "UpToDate" });
    await idle();
    const version = async () => (await world.read(shop.name)).metadata.resourceVersion;
    const [before, asked, pulled] = [await version(), shop.requests().length, counted.requests.length];
    await counted.when(() => true, pulled + 3);
    await idle();
    const since = counted.requests.slice(pulled).map(({ method, path }) => `${method} ${path}`);
    expect(new Set(since)).toEqual(new Set([`HEAD /v2/${shop.name}/web/manifests/released`]));
    expect(shop.requests().length).toBe(asked);
    expect(await version()).toBe(before);
  });

  test("P53: a forge that asks to wait gets exactly one pull request later", async () => {
    await using shop = await start();
    await shop.release();
    const busy = { status: 429, headers: { "retry-after": "1" }, body: '{"message":"slow down"}' };
    using _rule = forge.proxy.answer({ match: shop.isAbout, times: 1, ...busy });
    await shop.apply();
    await expect.poll(shop.status).toMatchObject({ state: "Proposed" });
    expect(await shop.pulls()).toHaveLength(1);
  });
});

type StartedShop = Awaited<ReturnType<typeof start>>;

interface Refusal {
  readonly reason: string;
  readonly settings?: ShopSettings;
  readonly prepare?: (shop: StartedShop) => Promise<unknown>;
  readonly isReleased?: boolean;
  /** The condition: field, object and next step. */
  readonly says: RegExp;
}

const oneFile = (write: (image: string) => string, path = "app.yaml") => ({
  files: (image: string) => ({ [path]: write(image) }),
});

const refusals: readonly Refusal[] = [
  {
    reason: "P51: only other tags and other registries",
    settings: oneFile((image) => `- image: ${image}/web:v1\n- image: other.example/web:released\n`),
    says: /^spec\.stages\[stage\]\.paths: no file of branch main refers to \S+\/web:released; write the references with/,
  },
  {
    reason: "P51: a Helm template",
    settings: oneFile((image) => `image: ${image}/web:released\n{{ end }}\n`, "chart/templates/a.yaml"),
    says: /^spec\.stages\[stage\]\.paths: no file can be edited: chart\/templates\/a\.yaml: a Helm template is not edited; correct/,
  },
  {
    reason: "a reference without a tag",
    settings: oneFile((image) => `a: 1\nimage: ${image}/web\n`),
    says: /\.paths: no file can be edited: app\.yaml:2: the reference has no tag; write it as \S+\/web:released; correct the files/,
  },
  {
    reason: "YAML that cannot be read",
    settings: oneFile((image) => `a: [${image}/web:released\n`),
    says: /\.paths: no file can be edited: app\.yaml: .*not valid YAML.*; correct the files/,
  },
  {
    reason: "a protected branch",
    prepare: ({ repository }) => {
      const rule = { rule_name: "promotion/**", enable_push: false };
      return gitea.expect("POST", `${repository.path}/branch_protections`, rule, owner.token);
    },
    says: /^spec\.stages\[stage\]\.branchPrefix: https\S+: the server does not allow Tenon to push to branch promotion\/\S+; allow the account/,
  },
  {
    reason: "P53: a token that may only read",
    settings: { scopes: ["read:repository", "read:issue"] },
    says: /^spec\.stages\[stage\]\.forge\.credentials: https\S+: the credentials do not allow a push; .*it is in Secret shop-/,
  },
  {
    reason: "P53: a token that was revoked",
    settings: { scopes: ["all"] },
    prepare: ({ token }) => gitea.revokeToken(owner.name, token),
    says: /^spec\.stages\[stage\]\.forge\.credentials: .*the forge answers 401 .*not valid any more: .*it is in Secret shop-/,
  },
  {
    reason: "a base that vanished",
    prepare: async ({ repository }) => {
      const branch = { new_branch_name: "trunk", old_branch_name: "main" };
      await gitea.expect("POST", `${repository.path}/branches`, branch, owner.token);
      await gitea.expect("PATCH", repository.path, { default_branch: "trunk" }, owner.token);
      await gitea.expect("DELETE", `${repository.path}/branches/main`, undefined, owner.token);
    },
    says: /^spec\.stages\[stage\]\.branch: https\S+: branch, tag or commit main not found; the repository has trunk$/,
  },
  {
    reason: "a tag that no image has yet",
    isReleased: false,
    says: /^spec\.source\.images\[0\]: \S+\/web:released does not exist; check repository and tag/,
  },
  {
    reason: "a repository that is written with a tag",
    settings: { components: ["web:v1"] },
    isReleased: false,
    says: /^spec\.source\.images\[0\]: \S+: "v1:released" is not a valid tag; use/,
  },
];

describe("what only a person can correct is a condition with field and next step, is tried once, and pushes nothing", () => {
  test.for(refusals)("$reason", async ({ settings, prepare, isReleased = true, says }) => {
    await using shop = await start(settings);
    if (isReleased) await shop.release();
    await prepare?.(shop);
    await shop.apply();
    await expect.poll(shop.ready).toMatchObject({ status: "False", message: expect.stringMatching(says) });
    const { conditions = [] } = (await world.read(shop.name)).status ?? {};
    expect(conditions.map(({ type }) => type).toSorted()).toEqual(["Ready", "Stalled"]);
    await idle();
    const asked = shop.requests().length;
    shop.look();
    // One look asks as much as the other: nothing was tried again in between.
    await expect.poll(() => shop.requests().length).toBe(2 * asked);
    await idle();
    expect(shop.requests().length).toBe(2 * asked);
    expect(shop.writes().filter((line) => !line.endsWith("/git-receive-pack"))).toEqual([]);
    expect(await shop.pulls()).toEqual([]);
    expect(await shop.head(shop.branch)).toBeUndefined();
    expect(JSON.stringify(await world.read(shop.name))).not.toContain(shop.token);
  });

  test("a right that is missing for labels alone is named, and the pull request is not opened twice", async () => {
    await using shop = await start({
      scopes: ["write:repository", "read:issue"],
      settings: { labels: ["promotion"] },
    });
    await shop.release();
    await shop.apply();
    const says =
      /forge\.credentials: .*the forge answers 403 .*give the token the right to write comments and labels \(write:issue\)/;
    await expect.poll(shop.ready).toMatchObject({ status: "False", message: expect.stringMatching(says) });
    await idle();
    const asked = shop.requests().length;
    shop.look();
    await expect.poll(() => shop.requests().length).toBeGreaterThan(asked + 2);
    await idle();
    expect(shop.writes(asked)).toEqual(["POST /labels"]);
    expect(await shop.pulls()).toMatchObject([{ number: 1, state: "open" }]);
    expect(await shop.commits()).toHaveLength(1);
  });

  test("P45: a variable in the tag is refused by the API server, which names the field", async () => {
    const images = [{ repository: "quay.io/acme/web", tag: "{{ nope }}" }];
    const stage = {
      name: "stage",
      repository: "https://git.example/a/b.git",
      branch: "main",
      forge: { kind: "plain" },
    };
    await expect(world.apply("variable", { source: { images }, stages: [stage] })).rejects.toThrow(
      /spec\.source\.images\[0\]\.tag.*\{\{ nope \}\}/,
    );
  });
});
