import { describe, expect, test } from "vitest";
import { refOf } from "#kube";
import { promotionLabels, releaseConditions } from "../kinds/promotion-names.ts";
import { ReleasePlanAdmission } from "../kinds/release-plan-admission.ts";
import { conditionsIn, messageIn, useReleases } from "./use-releases.fixture.ts";

const world = useReleases();
const { matched, attributed } = releaseConditions;

describe("a plan says what would make its releases fail", () => {
  test("a plan without standing attribution says that no one answers for its releases, until it has one", async () => {
    await world.start();
    const plan = await world.plan("alone", { labels: { [promotionLabels.standingAttribution]: "false" } });
    const found = await world.waitFor(refOf(plan), (one) => conditionsIn(one)[attributed] === "False/NoAuthor");
    expect(messageIn(found, attributed)).toContain(promotionLabels.standingAttribution);
    expect(conditionsIn(found)).not.toHaveProperty(matched);
    const body = { metadata: { labels: { [promotionLabels.standingAttribution]: "true" } } };
    const bob = world.client.impersonate({ user: "bob", groups: ["system:masters"] });
    await bob.patch(refOf(plan), { type: "merge", body });
    const corrected = await world.waitFor(refOf(plan), (one) => conditionsIn(one)[attributed] === "True/Succeeded");
    expect(messageIn(corrected, attributed)).toMatch(/^bob answers/);
  });

  test("a plan with a target is matched when its admission appears, blocked with it, and unmatched when it goes", async () => {
    const plan = await world.plan("targeted", { spec: { target: world.namespace } });
    const found = await world.waitFor(refOf(plan), (one) => conditionsIn(one)[matched] === "False/Matched");
    expect(messageIn(found, matched)).toContain("no ReleasePlanAdmission of namespace");
    const { apiVersion, kind } = ReleasePlanAdmission;
    const admission = await world.client.create({
      apiVersion,
      kind,
      metadata: { name: "here", namespace: world.namespace },
      spec: { applications: ["shop"], origin: world.namespace, policy: "default", environment: "ignored" },
    });
    const named = { name: `${world.namespace}/here` };
    const statusOf = (active: boolean) => JSON.stringify({ active, ...named });
    const waitForStatus = (active: boolean) =>
      world.waitFor(refOf(plan), (one) => JSON.stringify(one?.["status"] ?? {}).includes(statusOf(active)));
    expect(conditionsIn(await waitForStatus(true))[matched]).toBe("True/Matched");
    const body = { metadata: { labels: { [promotionLabels.blockReleases]: "true" } } };
    await world.client.patch(refOf(admission), { type: "merge", body });
    expect(messageIn(await waitForStatus(false), matched)).toContain("blocks releases");
    await world.client.delete(refOf(admission));
    const last = await world.waitFor(refOf(plan), (one) => conditionsIn(one)[matched] === "False/Matched");
    expect(last?.["status"]).not.toHaveProperty("releasePlanAdmission");
  });
});
