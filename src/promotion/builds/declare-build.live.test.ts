import { expect, test } from "vitest";
import type { KubeObject } from "#kube";
import { promotionAnnotations } from "../kinds/promotion-names.ts";
import { componentsOf } from "../snapshots/judge-snapshot.ts";
import { currentCandidate } from "./candidate-list.ts";
import { declareBuild } from "./declare-build.ts";
import { registry, sampleDigest, useIntake } from "./use-intake.fixture.ts";

const world = useIntake();
const isMarked = ({ metadata }: KubeObject) => metadata.annotations?.[promotionAnnotations.candidate] !== undefined;

test("a build of another CI becomes a Snapshot and the candidate, once however often it is declared", async () => {
  const shop = await world.shop(["web", "api"]);
  const image = `${registry}/web:main@${sampleDigest(1)}`;
  const build = {
    namespace: shop.namespace,
    component: "web",
    image,
    commit: "c1",
    startedAt: Date.parse("2026-01-02T03:04:05Z"),
  };
  const signal = AbortSignal.timeout(300_000);
  const first = await declareBuild(build, world.client, signal);
  expect(first).toMatchObject({ isKnown: false, omitted: ["api"] });
  expect(componentsOf(first.snapshot)).toMatchObject([
    { name: "web", containerImage: `${registry}/web@${sampleDigest(1)}` },
  ]);
  await shop.waitFor(shop.ref("Snapshot", first.snapshot.metadata.name), isMarked);
  const web = await world.client.get(shop.ref("Component", "web"));
  expect(currentCandidate(web)).toEqual({ image: `${registry}/web@${sampleDigest(1)}`, commit: "c1" });
  const again = await declareBuild({ ...build, startedAt: Date.now() }, world.client, signal);
  expect(again.isKnown).toBe(true);
  expect(await shop.snapshots()).toHaveLength(1);
});

test("a declared build by tag, or of an unknown component, is refused with the next step", async () => {
  const shop = await world.shop(["web"]);
  const build = {
    namespace: shop.namespace,
    component: "web",
    image: `${registry}/web:main`,
    commit: "c1",
    startedAt: 0,
  };
  const signal = AbortSignal.timeout(300_000);
  await expect(declareBuild(build, world.client, signal)).rejects.toThrow("has no digest");
  const image = `${registry}/web@${sampleDigest(1)}`;
  await expect(declareBuild({ ...build, image, component: "ghost" }, world.client, signal)).rejects.toThrow(
    "ghost not found",
  );
  expect(await shop.snapshots()).toEqual([]);
});
