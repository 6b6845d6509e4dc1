import { afterAll, beforeAll, expect, test } from "vitest";
import { type Clock, systemClock } from "#base";
import { type HttpProxy, type RequestView, seededRandom, startHttpProxy } from "#faults";
import { type ForgeProxy, startForgeProxy, startShop, useGitea } from "#gitea";
import { usePropagation } from "#harness";
import { copyImage, openRegistries, parseDockerConfig, parseImageReference, retag } from "#oci";
import {
  readRaw,
  SamplePusher,
  startEmbeddedRegistry,
  startTokenProxy,
  type TestRegistry,
  type TokenProxy,
} from "#registry";
import { seed } from "#seeded";
import { allFaults, type Fault, faultPoints, injectFault } from "./propagation/faults.ts";

const world = usePropagation();
const gitea = await useGitea();
const owner = await gitea.createUser();
const { signal } = new AbortController();
const [user, password] = ["robot", "passw0rd-of-the-robot"];
/** Waits of the registry client pass at once. */
const eager: Clock = { ...systemClock, sleep: () => Promise.resolve() };

const stack = new AsyncDisposableStack();
let registry: TestRegistry;
/** Asks for a token, behind the faults. */
let signed: TokenProxy;
let images: HttpProxy;
let forge: ForgeProxy;
/** The host that redirects lead to, which has everything that the registry has. */
let stranger: HttpProxy;
let faults: readonly Fault[];
beforeAll(async () => {
  registry = stack.use(await startEmbeddedRegistry());
  signed = stack.use(await startTokenProxy({ target: registry.url, user, password }));
  images = stack.use(await startHttpProxy({ target: new URL(`http://${signed.host}`) }));
  forge = stack.use(await startForgeProxy(gitea));
  stranger = stack.use(await startHttpProxy({ target: registry.url }));
  faults = allFaults(stranger.url);
});
afterAll(() => stack.disposeAsync());

const dockerConfig = () =>
  JSON.stringify({ auths: { [images.url.host]: { auth: Buffer.from(`${user}:${password}`).toString("base64") } } });
const chosen = <Point>(points: readonly Point[], count: number): readonly Point[] =>
  process.env["TENON_SOAK"] ? points : points.slice(0, count);
const strangersWithCredentials = () =>
  stranger.requests.filter(({ headers }) => headers.authorization !== undefined || headers["private-token"]);

test(`whatever fails between Tenon and a registry or forge, a release becomes one branch, one pull request, one commit, and no other host gets a credential (seed ${seed})`, async () => {
  const random = seededRandom(seed);
  await using shop = await startShop({
    world,
    gitea,
    forge,
    owner,
    registry: { url: registry.url, host: images.url.host },
    source: { credentials: "registry" },
  });
  await world.createSecret("registry", { ".dockerconfigjson": dockerConfig() });
  const released: string[] = [];
  const isImage = ({ path }: RequestView) => path.includes(`/${shop.name}/web/`);

  /** After what only a person can correct, such as a redirect, a person looks again. */
  async function stateOf(digest: string): Promise<string | undefined> {
    const { conditions = [] } = (await world.read(shop.name)).status ?? {};
    if (conditions.some(({ type, status }) => type === "Stalled" && status === "True")) await shop.look();
    return shop.proposedState(digest);
  }

  async function releaseWith(what: string): Promise<void> {
    const digest = await shop.release();
    await shop.look();
    await expect.poll(() => stateOf(digest), { interval: 100, message: what }).toBe("Proposed");
    expect(await shop.readRepository(), `after: ${what}`).toEqual(shop.oneProposal(digest, released.slice(-20)));
    released.push(digest);
  }

  await releaseWith("nothing fails");
  const [asked, pulled] = [shop.requests().length, images.count(isImage)];
  await releaseWith("nothing fails again");
  const places = [
    { proxy: forge.proxy, match: shop.isAbout, requests: shop.requests().slice(asked) },
    { proxy: images, match: isImage, requests: images.requests.filter(isImage).slice(pulled) },
  ];
  for (const { proxy, match, requests } of places) {
    for (const point of chosen(faultPoints(requests, faults, random), 9)) {
      using _rule = injectFault(proxy, point, match);
      await releaseWith(`${point.fault.name} at request ${point.request} of ${requests.length}`);
    }
  }
  expect(strangersWithCredentials()).toEqual([]);
  expect(JSON.stringify(await world.read(shop.name))).not.toContain(password);
}, 1_800_000);

test(`whatever fails between Tenon and a registry, no tag ever leads to anything but its image, and no other host gets a credential (seed ${seed})`, async () => {
  const random = seededRandom(seed);
  await using target = await startEmbeddedRegistry();
  await using copies = await startHttpProxy({ target: target.url });
  await using registries = openRegistries({
    credentials: parseDockerConfig(dockerConfig(), "the test"),
    clock: eager,
    random,
  });
  const pusher = new SamplePusher(registry.url, "acme/web");
  let rounds = 0;

  /** Tries again until it succeeds, as a controller does; after each attempt the tag is right or not there. */
  async function moveAndCopy(what: string): Promise<void> {
    // Large enough to be streamed, as layers are.
    const { digest } = await pusher.index(undefined, 600_000);
    await pusher.companion(digest, "sig");
    const tag = `v${rounds++}`;
    const source = { ...parseImageReference(`${images.url.host}/acme/web:any`), digest };
    const { tag: _, ...image } = source;
    const to = parseImageReference(`${copies.url.host}/copied/web:${tag}`);
    let failures = 0;
    for (let isDone = false; !isDone; failures++) {
      isDone = await attempt();
      const found = [await readRaw(registry.url, "acme/web", tag), await readRaw(target.url, "copied/web", tag)];
      // A tag that is not there yet is as good as a right one, until the attempt says that it is done.
      const isRight = found.map((one) => (isDone || one ? one?.digest === digest : true));
      expect(isRight, `${what}: ${tag}`).toEqual([true, true]);
      expect(failures, `attempts: ${what}`).toBeLessThan(5);
    }

    async function attempt(): Promise<boolean> {
      try {
        const { tags } = await retag(registries, { image, tags: [{ tag }] }, signal);
        const copied = await copyImage(registries, { source: image, target: to }, signal);
        return [...tags, copied.tag].every((outcome) => outcome?.error === undefined);
      } catch {
        return false;
      }
    }
  }

  await moveAndCopy("nothing fails");
  const before = [images.requests.length, copies.requests.length] as const;
  await moveAndCopy("nothing fails again");
  const places = [
    { proxy: images, requests: images.requests.slice(before[0]) },
    { proxy: copies, requests: copies.requests.slice(before[1]) },
  ];
  for (const { proxy, requests } of places) {
    for (const point of chosen(faultPoints(requests, faults, random), 60)) {
      using _rule = injectFault(proxy, point, () => true);
      await moveAndCopy(`${point.fault.name} at request ${point.request} of ${requests.length}`);
    }
  }
  expect(strangersWithCredentials()).toEqual([]);
}, 1_800_000);
