import { createHash } from "node:crypto";
import type { ObjectMeta } from "#kube";
import {
  copiedPacPrefix,
  pacNames,
  promotionAnnotations,
  promotionFinalizers,
  promotionLabels,
  testPrefix,
} from "../kinds/promotion-names.ts";
import type { TestScenario } from "./test-scenario.ts";
import { snapshotKind, type TestedSnapshot } from "./tested-snapshot.ts";

const copiedPrefixes = [copiedPacPrefix, "build.appstudio", testPrefix, "custom.appstudio.openshift.io"];
const logAnnotation = `${copiedPacPrefix}${pacNames.logUrl}`;
/** They grow with each test, ask something of the Snapshot, or are about the run of its build. */
const notCopied: ReadonlySet<string> = new Set([
  logAnnotation,
  promotionAnnotations.testStatus,
  promotionAnnotations.reportStatus,
  promotionAnnotations.reportFailure,
  promotionAnnotations.groupMembers,
  promotionLabels.rerun,
]);

const longestName = 63;
const suffixLength = 8;

/**
 * The name of a run, looking like one that the API server generated. It is the same for the same test and the run before it:
 * creating it again after a kill finds the run that there is.
 */
export function testRunName({ object }: TestedSnapshot, scenario: string, previousRun: string | undefined): string {
  const key = JSON.stringify([object.metadata.uid, scenario, previousRun ?? ""]);
  const suffix = BigInt(`0x${createHash("sha256").update(key).digest("hex")}`)
    .toString(36)
    .slice(0, suffixLength);
  return `${scenario.slice(0, longestName - suffixLength - 1).replace(/[-.]+$/, "")}-${suffix}`;
}

interface TestRunFacts {
  readonly snapshot: TestedSnapshot;
  readonly scenario: TestScenario;
  readonly name: string;
  /** The page of the run, where one is known. */
  readonly logUrl?: string;
}

/** The metadata of a test run, whatever runs it. */
export function testRunMetadata({ snapshot, scenario, name, logUrl }: TestRunFacts): ObjectMeta {
  const { namespace, object, owner, component } = snapshot;
  const ownerLabel = owner?.kind === "ComponentGroup" ? promotionLabels.componentGroup : promotionLabels.application;
  const optional = scenario.labels[promotionLabels.optional];
  return {
    name,
    generateName: `${scenario.name}-`,
    namespace,
    labels: {
      ...copied(snapshot.labels),
      [promotionLabels.runType]: "test",
      [promotionLabels.scenario]: scenario.name,
      [promotionLabels.snapshot]: snapshot.name,
      ...(component === undefined ? {} : { [promotionLabels.component]: component }),
      ...(owner === undefined ? {} : { [ownerLabel]: owner.name }),
      ...(optional === undefined ? {} : { [promotionLabels.optional]: optional }),
    },
    annotations: {
      ...copied(snapshot.annotations),
      ...Object.fromEntries(
        Object.entries(scenario.annotations).filter(([key]) => key.includes("appstudio.openshift.io/")),
      ),
      ...(logUrl === undefined ? {} : { [logAnnotation]: logUrl }),
    },
    finalizers: [promotionFinalizers.run],
    ownerReferences: [
      {
        ...snapshotKind,
        name: snapshot.name,
        uid: object.metadata.uid ?? "",
        controller: true,
        blockOwnerDeletion: true,
      },
    ],
  };
}

function copied(values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).filter(
      ([key]) => copiedPrefixes.some((prefix) => key.startsWith(prefix)) && !notCopied.has(key),
    ),
  );
}
