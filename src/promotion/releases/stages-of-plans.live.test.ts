import { afterAll, beforeAll, expect, test } from "vitest";
import { usePropagation } from "#harness";
import { SamplePusher, startEmbeddedRegistry, type TestRegistry } from "#registry";
import { startGitServer } from "#git";
import { sampleRepository } from "../../git/sample-repository.fixture.ts";
import { promotionLabels } from "../kinds/promotion-names.ts";
import { builtinRetag, useReleases } from "./use-releases.fixture.ts";

const world = useReleases();
const propagation = usePropagation();
let registry: TestRegistry;
beforeAll(async () => {
  registry = await startEmbeddedRegistry();
});
afterAll(() => registry[Symbol.asyncDispose]());

const stages = { validated: "integration", released: "production" } as const;
type Tag = keyof typeof stages;
const branchOf = (tag: Tag) => `promotion/main/${tag}/${stages[tag]}`;
const tagged = (tag: Tag) => ({ tenantPipeline: builtinRetag, data: { mapping: { defaults: { tags: [tag] } } } });

test("P61: of two plans with two tags, each advertises to its own stage only", async () => {
  const image = `${registry.host}/shop/web`;
  await using stack = new AsyncDisposableStack();
  const repository = stack.use(await sampleRepository());
  const git = stack.use(await startGitServer(repository.path));
  await repository.commit({
    "integration/app.yaml": `image: ${image}:validated\n`,
    "production/app.yaml": `image: ${image}:released\n`,
  });
  const address = `${git.url}/.git`;
  const pusher = new SamplePusher(registry.url, "shop/web");
  const digestOf = async (tag: string) => {
    const accept = "application/vnd.oci.image.manifest.v1+json";
    const answer = await fetch(`${registry.url.origin}/v2/shop/web/manifests/${tag}`, { headers: { accept } });
    return answer.headers.get("docker-content-digest") ?? undefined;
  };
  const snapshotOf = async (name: string) => {
    const { digest } = await pusher.image(name);
    await world.snapshot(name, { components: [{ name: "web", containerImage: `${image}@${digest}` }] });
    return digest;
  };
  const branches = () => repository.git("branch", "--list", "--format=%(refname:short)", "promotion/*").split("\n");
  const proposed = (tag: Tag) =>
    repository.git("diff", "--unified=0", "main", branchOf(tag)).match(/^[+](?:[+][+] .*|image.*)$/gm);
  const look = () => propagation.controller.wake({ kind: "git", names: [address] });
  const expectProposed = async (tag: Tag, digest: string) => {
    await expect
      .poll(() => {
        look();
        return branches().includes(branchOf(tag)) ? proposed(tag) : [];
      })
      .toEqual([`+++ b/${stages[tag]}/app.yaml`, `+image: ${image}:${tag}@${digest}`]);
  };

  await world.letAccountReadItself();
  await world.application("shop");
  await world.plan("validated", { spec: tagged("validated") });
  // What may go to production, a person decides.
  await world.plan("released", { labels: { [promotionLabels.autoRelease]: "false" }, spec: tagged("released") });
  for (const [tag, stage] of Object.entries(stages)) {
    await propagation.apply(tag, {
      source: { images: [{ repository: image, tag }], interval: "1h" },
      stages: [{ name: stage, repository: address, branch: "main", forge: { kind: "plain" } }],
    });
  }
  await world.start({ registries: { plainHttp: [registry.host] } });

  const first = await snapshotOf("shop-1");
  await expect.poll(() => digestOf("validated")).toBe(first);
  await expectProposed("validated", first);
  expect(await digestOf("released")).toBeUndefined();
  expect(branches()).toEqual([branchOf("validated")]);

  await world.release("by-hand", "shop-1", "released");
  await world.waitForReleased("by-hand", "True/Succeeded");
  expect(await digestOf("released")).toBe(first);
  await expectProposed("released", first);

  const before = repository.git("rev-parse", branchOf("released"));
  const second = await snapshotOf("shop-2");
  await expect.poll(() => digestOf("validated")).toBe(second);
  await expectProposed("validated", second);
  expect(await digestOf("released")).toBe(first);
  expect(repository.git("rev-parse", branchOf("released"))).toBe(before);
  expect(branches()).toEqual([branchOf("released"), branchOf("validated")]);
});
