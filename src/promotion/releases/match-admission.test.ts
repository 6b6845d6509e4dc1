import { describe, expect, test } from "vitest";
import type { KubeObject } from "#kube";
import { promotionLabels } from "../kinds/promotion-names.ts";
import { ReleasePlan } from "../kinds/release-plan.ts";
import { ReleasePlanAdmission } from "../kinds/release-plan-admission.ts";
import { matchAdmission } from "./match-admission.ts";

function plan(named?: string): KubeObject {
  const { apiVersion, kind } = ReleasePlan;
  const labels = named === undefined ? {} : { [promotionLabels.releasePlanAdmission]: named };
  return {
    apiVersion,
    kind,
    metadata: { name: "p", namespace: "shop", labels },
    spec: { application: "shop", target: "managed" },
  };
}

function admission(name: string, spec: object = {}, labels: Readonly<Record<string, string>> = {}): KubeObject {
  const { apiVersion, kind } = ReleasePlanAdmission;
  const metadata = { name, namespace: "managed", labels };
  return { apiVersion, kind, metadata, spec: { applications: ["shop"], origin: "shop", policy: "x", ...spec } };
}

describe("which ReleasePlanAdmission a plan fits", () => {
  test("the only one whose origin and applications fit, whatever its environment", () => {
    const others = [admission("a", { origin: "other" }), admission("b", { applications: ["other"] })];
    const fitting = admission("c", { environment: "production" });
    const elsewhere = { ...admission("d"), metadata: { name: "d", namespace: "elsewhere" } };
    expect(matchAdmission(plan(), [...others, fitting, elsewhere])).toEqual({
      kind: "matched",
      admission: fitting,
      isActive: true,
    });
  });

  test("one that blocks releases fits, and is not active", () => {
    const blocked = admission("a", {}, { [promotionLabels.blockReleases]: "true" });
    expect(matchAdmission(plan(), [blocked])).toMatchObject({ kind: "matched", isActive: false });
  });

  const refused: readonly (readonly [string, KubeObject, readonly KubeObject[], string])[] = [
    ["none", plan(), [], "no ReleasePlanAdmission of namespace managed has the origin shop and Application shop"],
    ["two", plan(), [admission("b"), admission("a")], "several ReleasePlanAdmissions fit: managed/a, managed/b"],
    ["a label that names none", plan("x"), [admission("a")], "managed/x, which the label of plan p names"],
    ["a label that names one of another origin", plan("a"), [admission("a", { origin: "b" })], "has the origin"],
  ];
  test.each(refused)("%s: refused", (_, given, admissions, message) => {
    expect(matchAdmission(given, admissions)).toEqual({
      kind: "unmatched",
      message: expect.stringContaining(message),
    });
  });

  test("of two, the label names one", () => {
    const match = matchAdmission(plan("b"), [admission("a"), admission("b")]);
    expect(match).toMatchObject({ kind: "matched", admission: { metadata: { name: "b" } } });
  });
});
