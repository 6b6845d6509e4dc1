import { leaseRights, type Right } from "#runtime";
import { buildRights } from "./build-rights.ts";
import { konfluxRights } from "./konflux-watch.ts";
import { propagationRights } from "./propagation-rights.ts";
import { reportRights } from "./reports/report-rights.ts";
import { testingRights } from "./testing-rights.ts";

/** Each part of the job `promote` runs without the others. */
export const promoteParts = ["builds", "tests", "propagation"] as const;
export type PromotePart = (typeof promoteParts)[number];

/**
 * The part that runs when none is named. Builds and tests must be named: beside Konflux's integration-service both would act
 * on every build.
 */
export const defaultPromoteParts: readonly PromotePart[] = ["propagation"];

/** A Lease a part, so that parts may run in different Deployments. */
export const promoteLeases: Readonly<Record<PromotePart, string>> = {
  builds: "tenon-promote-builds",
  tests: "tenon-promote-tests",
  propagation: "tenon-promote",
};

/** The rights of each part itself. */
export const promoteRights: Readonly<Record<PromotePart, readonly Right[]>> = {
  builds: [...buildRights, ...konfluxRights, ...leaseRights(promoteLeases.builds)],
  tests: [...testingRights, ...reportRights, ...konfluxRights, ...leaseRights(promoteLeases.tests)],
  propagation: [...propagationRights, ...leaseRights(promoteLeases.propagation)],
};
