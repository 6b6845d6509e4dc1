import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "#base";
import { type HttpProxy, startHttpProxy } from "#faults";
import {
  ociManifest,
  readRaw,
  SamplePusher,
  startEmbeddedRegistry,
  startLibraryRegistry,
  startTokenProxy,
  type TestRegistry,
} from "#registry";
import {
  EvidencePusher,
  sampleSigner,
  signedStatement,
  simpleSigning,
} from "../../oci/signatures/sample-signatures.fixture.ts";
import { RepositoryLocks } from "./repository-locks.ts";
import { useRetag } from "./use-retag.fixture.ts";

const world = useRetag();
const revision = "0123456789abcdef0123456789abcdef01234567";
const tags = (...given: string[]) => ({ mapping: { defaults: { tags: given } } });
const isWrite = ({ method }: { method: string }): boolean => method !== "GET" && method !== "HEAD";

let registry: TestRegistry;
let proxy: HttpProxy;

beforeAll(async () => {
  registry = await startEmbeddedRegistry();
  proxy = await startHttpProxy({ target: registry.url });
});
afterAll(async () => {
  await proxy[Symbol.asyncDispose]();
  await registry[Symbol.asyncDispose]();
});

const digestAt = async (repository: string, tag: string) => (await readRaw(registry.url, repository, tag))?.digest;

describe("re-tagging a release in the repositories of its images", () => {
  test("P41: several tags lead to the index, byte for byte; the artifacts list them; the second run writes nothing", async () => {
    const index = await new SamplePusher(registry.url, "acme/p41").index();
    const image = `${proxy.url.host}/acme/p41@${index.digest}`;
    const given = { components: [{ name: "web", image, revision }], data: tags("released", "{{ git_short_sha }}") };
    const outcome = await world.retag(given);
    expect(outcome).toMatchObject({ kind: "succeeded" });
    const urls = ["released", "0123456", "released-shop-1"].map((tag) => `${proxy.url.host}/acme/p41:${tag}`);
    expect(outcome.kind === "succeeded" && outcome.artifacts).toEqual({
      images: [{ name: "web", arches: ["amd64", "arm64"], oses: ["linux"], shasum: index.digest, urls }],
    });
    for (const tag of ["released", "0123456", "released-shop-1"]) {
      const stored = await readRaw(registry.url, "acme/p41", tag);
      expect(stored?.bytes.equals(index.bytes)).toBe(true);
      expect(stored?.mediaType).toBe(index.mediaType);
    }
    const before = proxy.count();
    const again = await world.retag(given);
    expect(again.kind === "succeeded" && again.artifacts.images).toMatchObject([{ urls }]);
    expect(proxy.requests.slice(before).filter(isWrite)).toEqual([]);
    const { body } = await world.metrics.expose();
    expect(body).toMatch(/promotion_retag_total\{outcome="created"\} 3\n/);
    expect(body).toMatch(/promotion_retag_total\{outcome="unchanged"\} 3\n/);
    expect(body).toMatch(/promotion_retag_duration_seconds_count\{outcome="succeeded"\} 2\n/);
  });

  test("a dry run tells old and new digests, and writes nothing", async () => {
    const pusher = new SamplePusher(registry.url, "acme/dry");
    const [old, next] = [await pusher.image("old", undefined, "released"), await pusher.image("next")];
    const image = `${proxy.url.host}/acme/dry@${next.digest}`;
    const before = proxy.count();
    const components = [{ name: "web", repository: `${proxy.url.host}/acme/elsewhere` }];
    const data = { mapping: { defaults: { tags: ["released"] } } };
    const mapped = { mapping: { ...data.mapping, components } };
    const outcomes = [
      await world.retag({ components: [{ name: "web", image }], data, isDryRun: true }),
      await world.retag({ components: [{ name: "web", image }], data: mapped, isDryRun: true }),
    ];
    const moves = outcomes.flatMap((each) =>
      each.kind === "succeeded" ? each.tagged.flatMap((one) => one.moves) : [],
    );
    expect(moves.map(({ tag, from, action }) => ({ tag, from, action }))).toEqual([
      { tag: "released", from: old.digest, action: "move" },
      { tag: "released-shop-1", from: undefined, action: "create" },
      { tag: "released", from: undefined, action: "create" },
      { tag: "released-shop-1", from: undefined, action: "create" },
    ]);
    expect(proxy.requests.slice(before).filter(isWrite)).toEqual([]);
  });

  test("P44: an older Snapshot skips the tag that a newer one has, and still gets its own tag", async () => {
    const pusher = new SamplePusher(registry.url, "acme/p44");
    const [older, newer] = [await pusher.image("older"), await pusher.image("newer")];
    const given = (name: string, digest: string, minute: number) => ({
      snapshot: name,
      started: Date.UTC(2026, 0, 2, 10, minute),
      components: [{ name: "web", image: `${proxy.url.host}/acme/p44@${digest}` }],
    });
    const [one, two] = [given("p44-r1", older.digest, 0), given("p44-r2", newer.digest, 5)];
    world.snapshots.push(world.snapshotOf(one), world.snapshotOf(two));
    expect((await world.retag(two)).kind).toBe("succeeded");
    const outcome = await world.retag(one);
    expect(outcome.kind === "succeeded" && outcome.artifacts).toMatchObject({
      images: [{ urls: [`${proxy.url.host}/acme/p44:released-p44-r1`] }],
      skippedTags: [
        {
          url: `${proxy.url.host}/acme/p44:released`,
          reason: "Superseded",
          message: `tag released has ${newer.digest}, which was released later`,
        },
      ],
    });
    expect(await digestAt("acme/p44", "released")).toBe(newer.digest);
    expect(await digestAt("acme/p44", "released-p44-r1")).toBe(older.digest);
    // The newer one has nothing left to do.
    const before = proxy.count();
    await world.retag(two);
    expect(proxy.requests.slice(before).filter(isWrite)).toEqual([]);
  });

  test("P44: of releases that run at the same time, the newest has the tag in the end", async () => {
    const pusher = new SamplePusher(registry.url, "acme/race");
    const given = [];
    for (let minute = 0; minute < 6; minute++) {
      const { digest } = await pusher.image(`race-${minute}`);
      given.push({
        snapshot: `race-${minute}`,
        started: Date.UTC(2026, 0, 3, 10, minute),
        components: [{ name: "web", image: `${proxy.url.host}/acme/race@${digest}` }],
      });
    }
    world.snapshots.push(...given.map(world.snapshotOf));
    const newest = given.at(-1)?.components[0]?.image.split("@")[1];
    // The newest begins first, so that without the order the oldest would have the tag.
    const outcomes = await Promise.all([...given, ...given].toReversed().map((each) => world.retag(each)));
    expect(outcomes.map(({ kind }) => kind)).toEqual(outcomes.map(() => "succeeded"));
    expect(await digestAt("acme/race", "released")).toBe(newest);
  });

  test("P44: a release waits while another one has its repository, and asks only then which Snapshot is newer", async () => {
    const { digest } = await new SamplePusher(registry.url, "acme/waits").image("waits");
    const locks = new RepositoryLocks();
    let hasAsked = false;
    const snapshotsIn = () => {
      hasAsked = true;
      return [];
    };
    const components = [{ name: "web", image: `${proxy.url.host}/acme/waits@${digest}` }];
    const [waiting] = await locks.run(
      [`${proxy.url.host}/acme/waits`],
      async () => {
        const run = world.retag({ components }, { locks, snapshotsIn });
        await proxy.when(({ path }) => path.includes("/acme/waits/blobs/"));
        // Time for a release that does not wait to go on.
        for (let count = 0; count < 30; count++) await digestAt("acme/waits", "released");
        expect(hasAsked).toBe(false);
        return [run];
      },
      AbortSignal.timeout(5 * 60_000),
    );
    expect((await waiting)?.kind).toBe("succeeded");
    expect(hasAsked).toBe(true);
  });

  test("P44: an image that is no longer in the registry fails the release for good, and no tag of the others moves", async () => {
    const { digest } = await new SamplePusher(registry.url, "acme/present").image("here");
    await new SamplePusher(registry.url, "acme/gone").image("other");
    const outcome = await world.retag({
      components: [
        { name: "web", image: `${proxy.url.host}/acme/present@${digest}` },
        { name: "api", image: `${proxy.url.host}/acme/gone@sha256:${"0".repeat(64)}` },
      ],
    });
    expect(outcome).toMatchObject({
      kind: "failed",
      message: expect.stringMatching(/acme\/gone@sha256:0+: image not found; it may have expired/),
    });
    expect(await digestAt("acme/present", "released")).toBeUndefined();
  });

  test.for([
    { reason: "P45: an unknown variable", data: tags("{{ nope }}"), says: "{{ nope }}" },
    { reason: "P45: a tag with a slash", data: tags("a/b"), says: '"a/b" is not a valid tag' },
    {
      reason: "P45: a mapping without a common name",
      data: { mapping: { defaults: { tags: ["a"] }, components: [{ name: "db" }] } },
      says: "(web) is among those of the mapping (db)",
    },
    { reason: "a tag that leaves the repository", data: tags("../../other/manifests/v1"), says: "not a valid tag" },
  ])("$reason fails the release without a request to the registry that writes", async ({ data, says }) => {
    const { digest } = await new SamplePusher(registry.url, "acme/p45").image("p45");
    const before = proxy.count();
    const image = `${proxy.url.host}/acme/p45@${digest}`;
    const outcome = await world.retag({ components: [{ name: "web", image }], data });
    expect(outcome).toEqual({ kind: "failed", message: expect.stringContaining(says) });
    expect(proxy.requests.slice(before).filter(isWrite)).toEqual([]);
  });

  test("an image that expires is refused by its label, and released where the plan says allowExpiring", async () => {
    const pusher = new SamplePusher(registry.url, "acme/expiring");
    const config = { architecture: "amd64", os: "linux", config: { Labels: { "quay.expires-after": "5d" } } };
    const blob = await pusher.blob("application/vnd.oci.image.config.v1+json", Buffer.from(JSON.stringify(config)));
    const manifest = { schemaVersion: 2, mediaType: ociManifest, config: blob, layers: [] };
    const { digest } = await pusher.manifest(ociManifest, JSON.stringify(manifest));
    const components = [{ name: "web", image: `${proxy.url.host}/acme/expiring@${digest}` }];
    expect(await world.retag({ components })).toMatchObject({
      kind: "failed",
      message: expect.stringContaining('its label quay.expires-after is "5d"'),
    });
    const releaseData = { allowExpiring: true };
    expect(await world.retag({ components, releaseData, data: { ...tags("a"), ...releaseData } })).toMatchObject({
      kind: "failed",
      message: expect.stringContaining("only a ReleasePlan or a ReleasePlanAdmission may set data.allowExpiring"),
    });
    expect((await world.retag({ components, data: { ...tags("a"), allowExpiring: true } })).kind).toBe("succeeded");
  });

  test("the tag of a Snapshot that has another image already is left alone, and the moving tag with it", async () => {
    const pusher = new SamplePusher(registry.url, "acme/taken");
    const [taken, own] = [await pusher.image("taken", undefined, "released-shop-1"), await pusher.image("own")];
    const outcome = await world.retag({
      components: [{ name: "web", image: `${proxy.url.host}/acme/taken@${own.digest}` }],
    });
    expect(outcome).toMatchObject({
      kind: "failed",
      message: expect.stringContaining(`tag released-shop-1 already exists with ${taken.digest}`),
    });
    expect(await digestAt("acme/taken", "released")).toBeUndefined();
  });

  test("a busy registry is thrown for a retry, and the retry goes on where it stopped", async () => {
    const { digest } = await new SamplePusher(registry.url, "acme/busy").image("busy");
    const components = [{ name: "web", image: `${proxy.url.host}/acme/busy@${digest}` }];
    const clock = { ...systemClock, sleep: async () => {} };
    {
      using _ = proxy.answer({
        match: ({ method, path }) => method === "PUT" && path.endsWith("/released"),
        status: 503,
      });
      await expect(world.retag({ components }, { clock })).rejects.toThrow(/503/);
    }
    expect(await digestAt("acme/busy", "released-shop-1")).toBe(digest);
    const before = proxy.count();
    expect((await world.retag({ components })).kind).toBe("succeeded");
    expect(proxy.requests.slice(before).filter(isWrite)).toHaveLength(1);
  });
});

describe("a release that is stopped", () => {
  const points = Array.from({ length: 20 }, (_, index) => 2 * index + 1);

  test.each(points)("at request %i and run again reaches the same end", async (point) => {
    const [built, api] = [`kill/web-${point}`, `kill/api-${point}`];
    const [index, image] = [
      await new SamplePusher(registry.url, built).index(),
      await new SamplePusher(registry.url, api).image("api"),
    ];
    const mapped = { name: "web", repository: `${proxy.url.host}/kill/public-${point}` };
    const given = {
      components: [
        { name: "web", image: `${proxy.url.host}/${built}@${index.digest}` },
        { name: "api", image: `${proxy.url.host}/${api}@${image.digest}` },
      ],
      data: { mapping: { defaults: { tags: ["released", "next"] }, components: [mapped, { name: "api" }] } },
    };
    const stopping = new AbortController();
    let count = 0;
    {
      using _ = proxy.cut({
        match() {
          count++;
          if (count === point) stopping.abort(new Error("killed"));
          return count >= point;
        },
      });
      await world.retag(given, {}, undefined, stopping.signal).catch((error: unknown) => {
        if (!stopping.signal.aborted) throw error;
      });
    }
    const outcome = await world.retag(given);
    expect(outcome.kind === "succeeded" && outcome.artifacts.images.map(({ urls }) => urls.length)).toEqual([3, 3]);
    for (const tag of ["released", "next", "released-shop-1"]) {
      expect((await readRaw(registry.url, `kill/public-${point}`, tag))?.bytes.equals(index.bytes)).toBe(true);
      expect(await digestAt(api, tag)).toBe(image.digest);
    }
    const before = proxy.count();
    expect((await world.retag(given)).kind).toBe("succeeded");
    expect(proxy.requests.slice(before).filter(isWrite)).toEqual([]);
  });
});

describe("copying a release to other repositories", () => {
  test("P42: within a registry blobs are mounted, children come before the index, and signatures go along", async () => {
    const pusher = new SamplePusher(registry.url, "acme/built");
    const index = await pusher.index();
    await pusher.companion(index.digest, "sig");
    const mapped = { name: "web", repositories: [{ url: `${proxy.url.host}/public/web` }], tags: ["v1"] };
    const given = {
      components: [{ name: "web", image: `${proxy.url.host}/acme/built@${index.digest}` }],
      data: { mapping: { defaults: { tags: ["released"] }, components: [mapped] } },
    };
    const before = proxy.count();
    const outcome = await world.retag(given);
    expect(outcome.kind === "succeeded" && outcome.artifacts.images[0]?.urls).toEqual(
      ["released", "v1", "released-shop-1"].map((tag) => `${proxy.url.host}/public/web:${tag}`),
    );
    const sent = proxy.requests.slice(before).filter(isWrite);
    expect(sent.filter(({ method }) => method === "PATCH")).toEqual([]);
    for (const tag of ["released", "v1", "released-shop-1"]) {
      expect(await digestAt("public/web", tag)).toBe(index.digest);
    }
    expect(await digestAt("public/web", `${index.digest.replace(":", "-")}.sig`)).toBeDefined();
    expect(await digestAt("acme/built", "released")).toBeUndefined();
    const again = proxy.count();
    expect((await world.retag(given)).kind).toBe("succeeded");
    expect(proxy.requests.slice(again).filter(isWrite)).toEqual([]);
  });

  test("P42: a registry that does not mount gets uploads", async () => {
    const own = await startLibraryRegistry();
    await using _registry = own;
    await using tokens = await startTokenProxy({
      target: own.url,
      user: "r",
      password: "pass-of-r",
      refusesMounts: true,
    });
    const index = await new SamplePusher(own.url, "acme/upload").index();
    await world.create("ServiceAccount", "uploader", { secrets: [{ name: "uploads" }] });
    await world.dockerSecret("uploads", { [tokens.host]: "r:pass-of-r" });
    await world.letRead("uploader", ["uploads"], { serviceaccounts: ["uploader"] });
    const data = {
      mapping: { defaults: { tags: ["a"] }, components: [{ name: "web", repository: `${tokens.host}/public/up` }] },
    };
    const components = [{ name: "web", image: `${tokens.host}/acme/upload@${index.digest}` }];
    expect((await world.retag({ components, data }, {}, "uploader")).kind).toBe("succeeded");
    expect((await readRaw(own.url, "public/up", "a"))?.bytes.equals(index.bytes)).toBe(true);
    expect(tokens.scopes.some((asked) => asked.includes("repository:acme/upload:pull") && asked.length === 2)).toBe(
      true,
    );
  });
});

async function link(account: string, secrets: readonly string[], pull: readonly string[] = []) {
  const [linked, pulled] = [secrets, pull].map((all) => all.map((name) => ({ name })));
  await world.create("ServiceAccount", account, { secrets: linked, imagePullSecrets: pulled });
}

describe("P70: credentials are those of the service account, read as that account", () => {
  const [mine, theirs] = ["password-of-mine", "password-of-theirs"];

  test("P43, P70: it pushes where the account may, with the longest prefix of all its Secrets, and an expired token is renewed", async () => {
    await using tokens = await startTokenProxy({ target: registry.url, user: "mine", password: mine });
    const index = await new SamplePusher(registry.url, "acme/p70").index();
    await world.dockerSecret("wide", { [tokens.host]: "someone:else-entirely" });
    await world.dockerSecret("narrow", { [`${tokens.host}/acme/p70`]: `mine:${mine}` });
    await link("longest", [], ["wide", "narrow", "does-not-exist"]);
    await world.letRead("longest", ["wide", "narrow", "does-not-exist"], { serviceaccounts: ["longest"] });
    const components = [{ name: "web", image: `${tokens.host}/acme/p70@${index.digest}` }];
    expect(await world.retag({ components }, {}, "longest")).toMatchObject({ kind: "succeeded" });
    expect(new Set(tokens.scopes.flat())).toEqual(
      new Set(["repository:acme/p70:pull", "repository:acme/p70:pull,push"]),
    );
    tokens.expireTokens();
    expect((await world.retag({ components, data: tags("again") }, {}, "longest")).kind).toBe("succeeded");
    expect(await digestAt("acme/p70", "again")).toBe(index.digest);
  });

  test("P43, P70: it cannot push where the account cannot: the message names the repository and the Secret, and no password", async () => {
    const rights = { "acme/mine": "pull,push", "acme/theirs": "pull" };
    await using tokens = await startTokenProxy({ target: registry.url, user: "mine", password: mine, rights });
    const index = await new SamplePusher(registry.url, "acme/mine").index();
    await world.dockerSecret("only-mine", { [tokens.host]: `mine:${mine}` });
    // Another Secret of the namespace would allow it, and is not linked to the account.
    await world.dockerSecret("of-someone-else", { [tokens.host]: `theirs:${theirs}` });
    await link("tenant", ["only-mine"]);
    await world.letRead("tenant", ["only-mine", "of-someone-else"], { serviceaccounts: ["tenant"] });
    const repository = `${tokens.host}/acme/theirs`;
    const outcome = await world.retag(
      {
        components: [{ name: "web", image: `${tokens.host}/acme/mine@${index.digest}` }],
        data: { mapping: { defaults: { tags: ["a"] }, components: [{ name: "web", repository }] } },
      },
      {},
      "tenant",
    );
    expect(outcome.kind).toBe("failed");
    const message = outcome.kind === "failed" ? outcome.message : "";
    expect(message).toContain(repository);
    expect(message).toContain("denies access (403");
    expect(message).toContain(`Secret ${world.namespace}/only-mine`);
    for (const secret of [mine, theirs, Buffer.from(`mine:${mine}`).toString("base64")]) {
      expect(message).not.toContain(secret);
    }
    expect(await digestAt("acme/theirs", "a")).toBeUndefined();
  });

  test.for([
    {
      reason: "an account that does not exist",
      account: "nobody",
      prepare: async () => world.letRead("nobody", [], { serviceaccounts: ["nobody"] }),
      says: /ServiceAccount \S+\/nobody not found; create it and link a Secret/,
    },
    {
      reason: "an account that may not read itself",
      account: "blind",
      prepare: async () => link("blind", []),
      says: /the service account \S+\/blind may not read ServiceAccount \S+\/blind; give it `get` on that object/,
    },
    {
      reason: "an account that may not read its Secret",
      account: "half-blind",
      async prepare() {
        await world.dockerSecret("hidden", { "quay.io": "a:password-that-is-hidden" });
        await link("half-blind", ["hidden"]);
        await world.letRead("half-blind", [], { serviceaccounts: ["half-blind"] });
      },
      says: /the service account \S+\/half-blind may not read Secret \S+\/hidden; give it `get`/,
    },
    {
      reason: "a Secret that is not a Docker configuration",
      account: "broken",
      async prepare() {
        const stringData = {
          ".dockerconfigjson": '{"auths": {"quay.io": {"auth": 7, "password": "password-in-broken"}}}',
        };
        await world.create("Secret", "broken", { type: "kubernetes.io/dockerconfigjson", stringData });
        await link("broken", ["broken"]);
        await world.letRead("broken", ["broken"], { serviceaccounts: ["broken"] });
      },
      says: /Secret \S+\/broken, auths\.quay\.io\.auth: cannot read credentials/,
    },
  ])("$reason fails the release with one sentence and what to do", async ({ account, prepare, says }) => {
    await prepare();
    const { digest } = await new SamplePusher(registry.url, "acme/blind").image("blind");
    const components = [{ name: "web", image: `${proxy.url.host}/acme/blind@${digest}` }];
    const outcome = await world.retag({ components }, {}, account);
    expect(outcome).toEqual({ kind: "failed", message: expect.stringMatching(says) });
    expect(JSON.stringify(outcome)).not.toMatch(/password-/);
    expect(await digestAt("acme/blind", "released")).toBeUndefined();
  });
});

describe("verification before a release", () => {
  const signer = sampleSigner();
  const account = "verifier";

  beforeAll(async () => {
    await world.create("ServiceAccount", account);
    await world.letRead(account, ["signers", "no-keys", "absent"], { serviceaccounts: [account] });
    await world.create("Secret", "signers", {
      stringData: { "cosign.pub": signer.publicKey, "cosign.key": "private" },
    });
    await world.create("Secret", "no-keys", { stringData: { "cosign.key": "private" } });
  });

  const data = { ...tags("released"), verification: { keys: "signers" } };

  test("no tag moves before every image is signed and has its provenance; the refusal names each image and what it lacks", async () => {
    const web = new SamplePusher(registry.url, "acme/signed");
    const api = new SamplePusher(registry.url, "acme/unsigned");
    const [one, two] = [await web.index(), await api.index()];
    const components = [
      { name: "web", image: `${proxy.url.host}/acme/signed@${one.digest}` },
      { name: "api", image: `${proxy.url.host}/acme/unsigned@${two.digest}` },
    ];
    const sign = async (pusher: SamplePusher, digest: string) => {
      await new EvidencePusher(pusher).signature(digest, simpleSigning(signer, digest));
      await new EvidencePusher(pusher).attestation(digest, signedStatement(signer, { digest }));
    };
    await sign(web, one.digest);
    // A signature of the other image under this one's tag is not a signature.
    await new EvidencePusher(api).signature(two.digest, simpleSigning(signer, one.digest));
    const before = proxy.count();
    const refused = await world.retag({ components, data }, {}, account);
    const message = refused.kind === "failed" ? refused.message : "";
    expect(message).toContain(
      `component api: ${proxy.url.host}/acme/unsigned@${two.digest}: it has no valid signature`,
    );
    expect(message).toContain(`it is about ${one.digest}`);
    expect(message).toContain("it has no valid provenance");
    expect(message).toContain(`Secret ${world.namespace}/signers, cosign.pub`);
    expect(message).not.toContain("component web");
    expect(proxy.requests.slice(before).filter(isWrite)).toEqual([]);
    await sign(api, two.digest);
    expect((await world.retag({ components, data }, {}, account)).kind).toBe("succeeded");
    expect(await digestAt("acme/unsigned", "released")).toBe(two.digest);
  });

  test.for([
    {
      reason: "a Release that asks for less than its plan",
      given: { releaseData: { verification: { requires: ["signature"] } }, data },
      says: "only a ReleasePlan or a ReleasePlanAdmission may set data.verification",
    },
    {
      reason: "a Secret that does not exist",
      given: { data: { ...data, verification: { keys: "absent" } } },
      says: "/absent not found; create it, or correct the name",
    },
    {
      reason: "a Secret without a public key",
      given: { data: { ...data, verification: { keys: "no-keys" } } },
      says: "/no-keys has no public key",
    },
    {
      reason: "a Secret that the account may not read",
      given: { data: { ...data, verification: { keys: "of-others" } } },
      says: "may not read Secret",
    },
    {
      reason: "a setting that does not exist",
      given: { data: { ...data, verification: { keys: "signers", skip: true } } },
      says: "data.verification",
    },
    {
      reason: "an empty list of what is required",
      given: { data: { ...data, verification: { keys: "signers", requires: [] } } },
      says: "data.verification.requires",
    },
  ])("refused: $reason", async ({ given, says }) => {
    const { digest } = await new SamplePusher(registry.url, "acme/rules").image("rules");
    const components = [{ name: "web", image: `${proxy.url.host}/acme/rules@${digest}` }];
    const outcome = await world.retag({ components, ...given }, {}, account);
    expect(outcome).toEqual({ kind: "failed", message: expect.stringContaining(says) });
    expect(await digestAt("acme/rules", "released")).toBeUndefined();
  });
});
