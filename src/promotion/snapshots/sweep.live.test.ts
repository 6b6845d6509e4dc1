import { expect, test } from "vitest";
import { useIntake } from "../builds/use-intake.fixture.ts";
import { copiedPacPrefix, promotionAnnotations, promotionLabels } from "../kinds/promotion-names.ts";
import { Snapshot } from "../kinds/snapshot.ts";
import { readSnapshot } from "../scenarios/tested-snapshot.ts";

const world = useIntake();
const digest = `sha256:${"1".repeat(64)}`;

/** Fifty at a time. */
async function many(count: number, each: (index: number) => Promise<void>): Promise<void> {
  for (let index = 0; index < count; index += 50) {
    await Promise.all(Array.from({ length: Math.min(50, count - index) }, (_, offset) => each(index + offset)));
  }
}

test("P58: of 1,050 Snapshots of a tenant 512 pushed ones stay, among them the newest of each component, and 512 of pull requests", async () => {
  const shop = await world.shop([]);
  await world.stop();
  const ofPullRequest = { [`${copiedPacPrefix}event-type`]: "pull_request", [`${copiedPacPrefix}pull-request`]: "7" };
  const make = async (name: string, component: string, labels: object = {}, annotations = {}) => {
    const type = { [promotionLabels.snapshotType]: "component", [promotionLabels.component]: component };
    await shop.create({
      apiVersion: Snapshot.apiVersion,
      kind: Snapshot.kind,
      metadata: { name, labels: { ...type, ...labels }, annotations },
      spec: { application: "shop", components: [{ name: component, containerImage: `reg.local/acme/web@${digest}` }] },
    });
  };
  await many(3, (index) => make(`rare-${index}`, "rare"));
  await make("kept", "web", {}, { [promotionAnnotations.keepSnapshot]: "true" });
  await many(516, (index) => make(`pushed-${index}`, "web"));
  await many(10, (index) =>
    make(`merged-${index}`, "web", ofPullRequest, { [promotionAnnotations.pullRequestStatus]: "merged" }),
  );
  await many(520, (index) => make(`pull-${index}`, "web", ofPullRequest));

  const tenant = { metadata: { labels: { "konflux-ci.dev/type": "tenant" } } };
  await world.client.patch(
    { apiVersion: "v1", kind: "Namespace", name: shop.namespace },
    { type: "merge", body: tenant },
  );
  await world.start();
  await expect.poll(async () => (await shop.snapshots()).length, { timeout: 300_000, interval: 500 }).toBe(1_024);
  const left = (await shop.snapshots()).map(readSnapshot);
  expect(left.filter(({ isPush }) => isPush)).toHaveLength(512);
  expect(left.filter(({ name }) => name.startsWith("merged"))).toEqual([]);
  const names = left.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(["kept", "rare-0", "rare-1", "rare-2"]));
}, 1_200_000);
