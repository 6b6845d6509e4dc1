import { leaseRights, type Right } from "#runtime";
import { buildRights } from "./build-rights.ts";
import { environmentRights } from "./environment-rights.ts";
import { type KonfluxService, konfluxRights } from "./konflux-watch.ts";
import { onboardingRights } from "./onboarding/onboarding-rights.ts";
import { propagationRights } from "./propagation-rights.ts";
import { releaseRights } from "./release-rights.ts";
import { reportRights } from "./reports/report-rights.ts";
import { testingRights } from "./testing-rights.ts";

/** Each part of the job `promote` runs without the others. */
export const promoteParts = ["builds", "tests", "releases", "propagation", "environments"] as const;
export type PromotePart = (typeof promoteParts)[number];

/**
 * The part that runs when none is named. The others must be named: beside Konflux's services both would act on every build,
 * Snapshot and Release.
 */
export const defaultPromoteParts: readonly PromotePart[] = ["propagation"];

/** A Lease a part, so that parts may run in different Deployments. */
export const promoteLeases: Readonly<Record<PromotePart, string>> = {
  builds: "tenon-promote-builds",
  tests: "tenon-promote-tests",
  releases: "tenon-promote-releases",
  propagation: "tenon-promote",
  environments: "tenon-promote-environments",
};

/** The services of Konflux that do the work of a part, and beside which it stands aside. */
export const promoteRivals: Readonly<Record<PromotePart, readonly KonfluxService[]>> = {
  builds: ["integration-service"],
  tests: ["integration-service"],
  releases: ["integration-service", "release-service"],
  propagation: [],
  environments: [],
};

/** The rights of each part itself. */
export const promoteRights: Readonly<Record<PromotePart, readonly Right[]>> = {
  builds: [...buildRights, ...konfluxRights(...promoteRivals.builds), ...leaseRights(promoteLeases.builds)],
  tests: [
    ...testingRights,
    ...reportRights,
    ...konfluxRights(...promoteRivals.tests),
    ...leaseRights(promoteLeases.tests),
  ],
  releases: [
    ...releaseRights,
    ...onboardingRights,
    ...konfluxRights(...promoteRivals.releases),
    ...leaseRights(promoteLeases.releases),
  ],
  propagation: [...propagationRights, ...leaseRights(promoteLeases.propagation)],
  environments: [...environmentRights, ...leaseRights(promoteLeases.environments)],
};
